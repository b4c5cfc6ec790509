public import Core
public import Crypto
import Directory
public import Federation
public import HTTP
public import OAuth
public import Platform
public import Templates

/// Templates, public files, cookies and form tokens that all pages share.
public struct Site: Sendable {
    /// Public scheme, host and port of this server, without a trailing slash.
    public let publicURL: String
    public let pages: Pages
    public let assets: AssetLinks
    /// `Public/apple-id.js`, a function that takes the values of a team.
    public let webScript: [UInt8]
    public let cookies: CookieNames
    public let formTokens: FormTokens

    public init(publicURL: String, pages: Pages, assets: AssetLinks, webScript: [UInt8], keyRing: KeyRing) {
        self.publicURL = publicURL
        self.pages = pages
        self.assets = assets
        self.webScript = webScript
        cookies = CookieNames(isSecure: publicURL.hasPrefix("https://"))
        formTokens = FormTokens(keyRing: keyRing)
    }

    /// Returns a localized text, for use outside of pages.
    ///
    /// On pages, fields declared with `words` are resolved while the page is rendered.
    public func text(_ wording: any LocalizedTextConvertible, in language: Language = .english) -> String {
        pages.texts.text(wording, in: language)
    }

    /// Renders `model` with its template as an HTML response with the security fields.
    public func respond<Page: View>(
        _ page: LivePage<Page>, _ model: Page, status: Status = .ok, forms: SecurityFields.FormTarget = .ourselves,
        frame: SecurityFields.FrameParent = .nobody
    ) -> Response {
        var body: [UInt8] = []
        body.reserveCapacity(32 * 1024)
        if let diagnostics = page.diagnostics() { return .text("\(diagnostics)\n", status: .internalServerError) }
        page.current().render(model, into: &body)
        var response = Response.html(body, status: status)
        SecurityFields.add(to: &response, forms: forms, frame: frame, isSecure: cookies.isSecure)
        return response
    }

    /// Renders a page that the start has checked, and binds it to its template at its first use.
    public func respond<Page: View>(
        _ model: Page, status: Status = .ok, forms: SecurityFields.FormTarget = .ourselves,
        frame: SecurityFields.FrameParent = .nobody
    ) -> Response {
        do throws(Diagnostics) {
            return respond(try pages.page(Page.self), model, status: status, forms: forms, frame: frame)
        } catch { return .text("\(error)\n", status: .internalServerError) }
    }

    /// Reads the form of a request after checking its origin and that its token belongs to the cookie secret `browser`.
    ///
    /// - Throws: `UserFacingError.staleForm`, or a 400 if the form cannot be read.
    public func form(of request: Request, from browser: String) throws(UserFacingError) -> Form {
        try checkOrigin(of: request)
        let form: Form
        do throws(FormCoding.Failure) { form = try request.form() } catch { throw UserFacingError(error) }
        guard formTokens.isOfBrowser(form["csrf"], browser) else { throw .staleForm }
        return form
    }

    /// Cookie that identifies a browser for a year, the retention of the data stored about it.
    public func browserCookie(_ value: String) -> SetCookie {
        cookies.cookie(cookies.browser, value, maxAge: .seconds(365 * 86_400))
    }

    /// Rejects a request from another site, by its `Origin` and `Sec-Fetch-Site` fields.
    ///
    /// - Throws: `UserFacingError.staleForm`.
    public func checkOrigin(of request: Request) throws(UserFacingError) {
        if let origin = request[.origin], origin != publicURL { throw .staleForm }
        if let site = request[.secFetchSite], site != "same-origin", site != "none" { throw .staleForm }
    }
}

extension Request {
    /// IP address, user agent and id of the request, as the audit log stores them.
    public var auditOrigin: Origin {
        Origin(ip: client.description, userAgent: self[.userAgent] ?? "", requestID: id.description)
    }
}

extension TextArea {
    /// The areas of `Texts/`, each with its required languages.
    public static let all = [
        // Texts shared by hosted pages and the console.
        TextArea("shared", in: Language.allCases), TextArea("hosted", in: Language.allCases),
        TextArea("mail", in: Language.allCases), TextArea("console", in: [.english]),
        TextArea("sample", in: [.english]),
    ]
}

/// Tokens against cross-site request forgery: a MAC over a secret that only the browser's cookie has.
public struct FormTokens: Sendable {
    private let code: HMACSHA256

    public init(keyRing: KeyRing) { code = HMACSHA256(key: keyRing.derive(purpose: "form-tokens")) }

    /// Returns the token for forms sent to the browser with this cookie secret.
    public func token(for secret: String) -> String { Base64URL.encode(code.code(for: Array(secret.utf8)).prefix(18)) }

    /// Whether `token` belongs to this cookie secret.
    public func isValid(_ token: String?, for secret: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret)) } ?? false
    }

    /// Returns the token for a form in which the user decides about the content it shows, such as a consent.
    public func token(for secret: String, showing content: String) -> String {
        "\(token(for: secret)).\(token(for: Self.joined(secret, content)))"
    }

    /// Whether `token` belongs to this cookie secret and to a form that showed exactly `content`.
    public func isValid(_ token: String?, for secret: String, showing content: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret, showing: content)) } ?? false
    }

    /// Whether `token` belongs to this cookie secret, with or without shown content, which is not checked.
    func isOfBrowser(_ token: String?, _ secret: String) -> Bool {
        guard let token, token.utf8.count <= 2 * Self.tokenCount + 1 else { return false }
        let parts = token.utf8.split(separator: Self.separator, omittingEmptySubsequences: false)
        let isShaped = parts.count <= 2 && parts.allSatisfy { $0.count == Self.tokenCount }
        return isShaped && isValid(String(decoding: parts[0], as: UTF8.self), for: secret)
    }

    /// Length of an encoded MAC, in bytes.
    private static let tokenCount = 24

    private static let separator = UInt8(ascii: ".")

    /// Joins with a line break, which no cookie value contains.
    private static func joined(_ secret: String, _ content: String) -> String { "\(secret)\n\(content)" }
}

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
        to response: inout Response, forms: FormTarget = .ourselves, frame: FrameParent = .nobody, isSecure: Bool
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
        if isSecure { response.append(.strictTransportSecurity, "max-age=31536000; includeSubDomains") }
    }
}

/// Names and attributes of Pippin's cookies: a session cookie per team, a cookie per browser for interactions.
///
/// Over TLS the names carry the `__Host-` prefix, which binds the cookies to this host, to `/` and to TLS (RFC 6265bis
/// section 4.1.3); on plain-http loopback they have no prefix. No cookie has `SameSite=None`.
public struct CookieNames: Sendable {
    public let isSecure: Bool

    public init(isSecure: Bool) { self.isSecure = isSecure }

    public func session(of team: TeamID) -> String { prefix + "pippin-\(team)" }

    /// The teams with a session in this browser, as far as its cookies tell.
    public func teams(in cookies: Cookies) -> [TeamID] {
        cookies.names.compactMap { name in
            guard name.hasPrefix(prefix + "pippin-") else { return nil }
            return TeamID(rawValue: String(name.dropFirst(prefix.utf8.count + "pippin-".utf8.count)))
        }
    }

    public var browser: String { prefix + "pippin-browser" }

    /// Returns a cookie with the attributes that all of Pippin's cookies share.
    ///
    /// Values are base64url parts joined by dots. Any other byte is removed, so that no value can end the process.
    public func cookie(_ name: String, _ value: String, maxAge: Duration? = nil) -> SetCookie {
        let isSound = value.utf8.allSatisfy(PercentCoding.isUnreserved)
        let value = isSound ? value : String(decoding: value.utf8.filter(PercentCoding.isUnreserved), as: UTF8.self)
        do throws(SetCookie.Failure) {
            return try SetCookie(name, value, maxAge: maxAge, isSecure: isSecure, sameSite: .lax)
        } catch { preconditionFailure("a cookie of ours cannot be written: \(error)") }
    }

    /// Returns a cookie that makes the browser delete the cookie of that name.
    public func forgotten(_ name: String) -> SetCookie { cookie(name, "", maxAge: .zero) }

    private var prefix: String { isSecure ? "__Host-" : "" }
}

extension PathValue where Self: RawRepresentable<String> {
    public static func parse(pathSegment: Span<UInt8>) -> Self? {
        String.parse(pathSegment: pathSegment).flatMap(Self.init(rawValue:))
    }

    public var pathSegment: String { rawValue }
}

extension TeamID: PathValue {}
extension ClientID: PathValue {}
extension KeyID: PathValue {}
extension InvitationID: PathValue {}
extension Subject: PathValue {}
extension RefreshTokenID: PathValue {}
extension UpstreamTokenID: PathValue {}
extension InteractionID: PathValue {}
extension TraceID: PathValue {}
extension TestSignInID: PathValue {}
extension RandomID: PathValue {}
