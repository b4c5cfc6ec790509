public import HTTP

/// The header fields that tell browsers what a page of ours may do.
public enum SecurityFields {
    /// Whether forms of the page may lead elsewhere.
    public enum FormTarget: Sendable {
        case ourselves
        /// For the exit page alone: Chromium applies `form-action` to every redirect after a submission, custom
        /// schemes included, so the page that leads to an app must not carry it.
        case anywhere
    }

    /// Who may show the page in a frame.
    public enum FrameParent: String, Sendable {
        case nobody = "'none'"
        /// For a preview inside a page of ours.
        case ourselves = "'self'"
    }

    /// Adds the fields of an HTML page.
    ///
    /// `same-origin` rather than `no-referrer`, which makes Chromium send `Origin: null` with our own forms.
    public static func add(
        to response: inout Response,
        forms: FormTarget = .ourselves,
        frame: FrameParent = .nobody,
        isSecure: Bool
    ) {
        let formAction = forms == .ourselves ? "; form-action 'self'" : ""
        response.append(
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "frame-src 'self'; base-uri 'none'; frame-ancestors \(frame.rawValue)" + formAction
        )
        response.append(.xContentTypeOptions, "nosniff")
        response.append(.referrerPolicy, "same-origin")
        response.append(
            .permissionsPolicy,
            "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()"
        )
        response.append(.cacheControl, "no-store")
        if isSecure { response.append(.strictTransportSecurity, "max-age=31536000; includeSubDomains") }
    }
}
