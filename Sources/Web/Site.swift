public import Bytes
public import Crypto
public import Domain
public import HTTP
public import Templates

/// The look and the manners every page shares: templates, public files, cookies, form tokens.
public struct Site: Sendable {
    /// Scheme, host and port people reach Pippin under; no slash at its end.
    public let publicURL: String
    public let pages: Pages
    public let assets: AssetLinks
    public let cookies: CookieNames
    public let formTokens: FormTokens

    public init(publicURL: String, pages: Pages, assets: AssetLinks, keyRing: KeyRing) {
        self.publicURL = publicURL
        self.pages = pages
        self.assets = assets
        cookies = CookieNames(isSecure: publicURL.hasPrefix("https://"))
        formTokens = FormTokens(keyRing: keyRing)
    }

    /// The words of the catalogue, for what is no page.
    ///
    /// In pages, words are resolved where a field is declared with `words`.
    public func text(_ wording: any Wording, in language: Language = .english) -> String {
        pages.texts.text(wording, in: language)
    }

    /// Writes `model` into its template and dresses it as a page.
    public func respond<Page: View>(
        _ page: LivePage<Page>,
        _ model: Page,
        status: Status = .ok,
        forms: SecurityFields.FormTarget = .ourselves,
        frame: SecurityFields.FrameParent = .nobody
    ) -> Response {
        var body: [UInt8] = []
        body.reserveCapacity(8 * 1024)
        if let diagnostics = page.diagnostics() {
            return .text("\(diagnostics)\n", status: .internalServerError)
        }
        page.current().render(model, into: &body)
        var response = Response.html(body, status: status)
        SecurityFields.add(to: &response, forms: forms, frame: frame, isSecure: cookies.isSecure)
        return response
    }

    /// The fields of a form that a page of ours sent to the browser whose cookie holds `browser`.
    ///
    /// - Throws: `Problem.staleForm`, or a 400 for a form that cannot be read.
    public func form(of request: Request, from browser: String) throws(Problem) -> Form {
        try checkOrigin(of: request)
        let form: Form
        do throws(FormCoding.Failure) {
            form = try request.form()
        } catch {
            throw Problem(error)
        }
        guard formTokens.isOfBrowser(form["csrf"], browser) else { throw .staleForm }
        return form
    }

    /// The cookie that makes a browser known: a year, as long as what is remembered of it lasts.
    public func browserCookie(_ value: String) -> SetCookie {
        cookies.cookie(cookies.browser, value, maxAge: .seconds(365 * 86_400))
    }

    /// Refuses a state-changing request that another site made: browsers say where a form comes from.
    ///
    /// - Throws: `Problem.staleForm`.
    public func checkOrigin(of request: Request) throws(Problem) {
        if let origin = request[.origin], origin != publicURL { throw .staleForm }
        if let site = request[.secFetchSite], site != "same-origin", site != "none" { throw .staleForm }
    }
}

extension Request {
    /// From where the request comes, as the audit log keeps it.
    public var auditOrigin: Origin {
        Origin(ip: client.description, userAgent: self[.userAgent] ?? "", requestID: id.description)
    }
}
