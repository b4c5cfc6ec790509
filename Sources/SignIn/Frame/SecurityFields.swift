public import HTTP

/// Response header fields that restrict what a browser allows a page to do.
public enum SecurityFields {
    /// Whether the page's forms may be submitted to other origins (`form-action`).
    public enum FormTarget: Sendable {
        case ourselves
        /// No `form-action`, only for the exit page: Chromium applies it to every redirect after a submission, custom
        /// schemes included, so the page that redirects to an app must not have it.
        case anywhere
    }

    /// Pages that may show this page in a frame (`frame-ancestors`).
    public enum FrameParent: String, Sendable {
        case nobody = "'none'"
        /// For a preview inside one of Pippin's pages.
        case ourselves = "'self'"
    }

    /// Adds the security fields of an HTML page.
    ///
    /// The referrer policy is `same-origin` because `no-referrer` makes Chromium send `Origin: null` with forms.
    public static func add(
        to response: inout Response, forms: FormTarget = .ourselves, frame: FrameParent = .nobody,
        transport: TransportSecurity
    ) {
        let formAction = forms == .ourselves ? "; form-action 'self'" : ""
        response.append(
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "frame-src 'self'; base-uri 'none'; frame-ancestors \(frame.rawValue)" + formAction)
        response.append(.xContentTypeOptions, "nosniff")
        response.append(.referrerPolicy, "same-origin")
        response.append(
            .permissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()")
        response.append(.cacheControl, "no-store")
        if let field = transport.field { response.append(.strictTransportSecurity, field) }
    }
}
