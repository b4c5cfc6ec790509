import HTTP
import Templates

/// Pages of second factors with their templates.
struct FactorPages: Sendable {
    let site: Site
    private let prove: LivePage<FactorPage>
    private let setup: LivePage<FactorSetupPage>
    private let codes: LivePage<RecoveryCodesPage>
    private let detail: LivePage<FactorDetailPage>

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(site: Site) throws(Diagnostics) {
        self.site = site
        prove = try site.pages.page(FactorPage.self)
        setup = try site.pages.page(FactorSetupPage.self)
        codes = try site.pages.page(RecoveryCodesPage.self)
        detail = try site.pages.page(FactorDetailPage.self)
    }

    static var views: [any View.Type] {
        [FactorPage.self, FactorSetupPage.self, RecoveryCodesPage.self, FactorDetailPage.self]
    }

    func respond(_ page: FactorPage, status: Status = .ok, retryAfter: Int? = nil) -> Response {
        var response = site.respond(prove, page, status: status)
        if let retryAfter { response.append(.retryAfter, String(retryAfter)) }
        return response
    }

    func respond(_ page: FactorSetupPage, status: Status = .ok) -> Response {
        site.respond(setup, page, status: status)
    }

    func respond(_ page: RecoveryCodesPage) -> Response { site.respond(codes, page) }

    func respond(_ page: FactorDetailPage, status: Status = .ok) -> Response {
        site.respond(detail, page, status: status)
    }
}
