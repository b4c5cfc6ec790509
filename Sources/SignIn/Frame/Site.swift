public import Core
public import Crypto
public import HTTP
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
    /// What browsers are told of TLS.
    public let transport: TransportSecurity
    public let formTokens: FormTokens
    /// Seals what a cookie keeps for the next page, because it may name people.
    public let cookieSealer: Sealer
    /// Seals what a form keeps for the time when the sign-in or session that it belongs to is over.
    let formSealer: Sealer

    /// - Parameter hsts: seconds for which browsers shall use TLS alone; nil for the usual time.
    public init(
        publicURL: String, pages: Pages, assets: AssetLinks, webScript: [UInt8], keyRing: KeyRing, hsts: Int? = nil
    ) {
        self.publicURL = publicURL
        self.pages = pages
        var assets = assets
        assets.home = publicURL
        self.assets = assets
        self.webScript = webScript
        cookies = CookieNames(isSecure: publicURL.hasPrefix("https://"))
        transport = TransportSecurity(isSecure: cookies.isSecure, seconds: hsts)
        formTokens = FormTokens(keyRing: keyRing)
        cookieSealer = keyRing.sealer(purpose: "cookies")
        formSealer = keyRing.sealer(purpose: "forms")
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
        SecurityFields.add(to: &response, forms: forms, frame: frame, transport: transport)
        return response
    }

    /// Renders a page that the start has checked, and binds it to its template at its first use.
    public func respond<Page: View>(
        _ model: Page, status: Status = .ok, forms: SecurityFields.FormTarget = .ourselves,
        frame: SecurityFields.FrameParent = .nobody
    ) -> Response {
        do throws(Diagnostics) {
            return respond(try pages.page(Page.self), model, status: status, forms: forms, frame: frame)
        } catch { return .text("\(describing: error)\n", status: .internalServerError) }
    }

    /// Reads the form of a request after checking its origin and that its token belongs to the cookie secret `browser`.
    ///
    /// - Throws: `UserFacingError` by what was seen: another address, no cookie, the token of an earlier one, or a form
    ///   that cannot be read.
    public func form(of request: Request, from browser: String) throws(UserFacingError) -> Form {
        try checkOrigin(of: request)
        guard cookies.browser(in: request.cookies) != nil else { throw .noCookie(at: publicURL) }
        let form: Form
        do throws(FormCoding.Failure) { form = try request.form() } catch { throw UserFacingError(error) }
        guard formTokens.isOfBrowser(form["csrf"], browser) else { throw .staleForm }
        return form
    }

    /// Cookie that identifies a browser for a year, the retention of the data stored about it.
    public func browserCookie(_ value: String) -> SetCookie {
        cookies.cookie(cookies.browser, value, maxAge: .seconds(365 * 86_400))
    }

    /// Rejects a form of another site, or of a page of ours that is open under another name than the public URL's.
    ///
    /// - Throws: `UserFacingError.otherAddress`.
    public func checkOrigin(of request: Request) throws(UserFacingError) {
        guard Self.isOwn(origin: request[.origin], site: request[.secFetchSite], at: publicURL) else {
            throw .otherAddress(than: publicURL)
        }
    }

    /// Whether a form comes from a page at `publicURL`, by the fields `Origin` and `Sec-Fetch-Site` of its request.
    ///
    /// Old browsers send neither; then the form token alone decides. A browser whose page hides its address sends the
    /// origin `null`, as do sandboxed frames of other sites; with `same-origin` it vouches itself for where the form is
    /// from (Fetch Metadata section 2.3), which no page can write.
    static func isOwn(origin: String?, site: String?, at publicURL: String) -> Bool {
        switch site {
        case "same-origin": origin == nil || origin == publicURL || origin == "null"
        case nil, "none": origin == nil || origin == publicURL
        default: false
        }
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
