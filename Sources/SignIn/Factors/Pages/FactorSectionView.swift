import Core
import Crypto
import HTTP
public import Templates

/// Section of second factors on the account page.
struct FactorSectionView: Sendable {
    /// Factor of the user.
    struct Row: Sendable {
        let url: String
        let title: LocalizedText
        let lastUsedAt: Timestamp?
        var note: LocalizedText?

        static let fields = Fields<Row> {
            $0.text("url") { $0.url }
            $0.words("title") { $0.title }
            $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
            $0.optionalWords("note") { $0.note }
        }
    }

    /// Number of unused recovery codes, and the address that creates new ones.
    struct Recovery: Sendable {
        let left: LocalizedText
        let action: String

        static let fields = Fields<Recovery> {
            $0.words("left") { $0.left }
            $0.text("action") { $0.action }
        }
    }

    let team: String
    let isRequired: Bool
    let formToken: String
    let rows: [Row]
    var addTOTPURL: String?
    var addPasskeyURL: String?
    var recovery: Recovery?

    static let fields = Fields<FactorSectionView> {
        $0.text("team") { $0.team }
        $0.flag("required") { $0.isRequired }
        $0.text("csrf") { $0.formToken }
        $0.list("rows", Row.fields) { $0.rows }
        $0.optionalText("addTOTPURL") { $0.addTOTPURL }
        $0.optionalText("addPasskeyURL") { $0.addPasskeyURL }
        $0.optionalGroup("recovery", Recovery.fields) { $0.recovery }
    }
}

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

/// Form that Public/factors.js fills with the response of a passkey.
public struct PasskeyFormView: Sendable {
    enum Kind: String, Sendable {
        case get
        case create
    }

    let kind: Kind
    let action: String
    let formToken: String
    /// WebAuthn options for the browser, as JSON.
    let options: String
    let label: LocalizedText
    /// Whether the browser may offer passkeys in the field for the login name.
    var isConditional = false
    /// Field for the name of a new passkey.
    var name: FieldView?
    /// Whether the button is less prominent, because the page has a more usual method.
    var isQuiet = false

    /// Button of the sign-in page without a function, for a preview; nil if the server cannot use passkeys.
    public static func sample(at publicURL: String) -> PasskeyFormView? {
        guard RelyingParty(publicURL: publicURL) != nil else { return nil }
        return PasskeyFormView(
            kind: .get, action: "", formToken: "", options: "{}",
            label: Message("hosted.factors.passkey.sign-in").localizedText, isQuiet: true)
    }

    public static let fields = Fields<PasskeyFormView> {
        $0.text("kind") { $0.kind.rawValue }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("options") { $0.options }
        $0.flag("conditional") { $0.isConditional }
        $0.words("label") { $0.label }
        $0.optionalGroup("name", FieldView.fields) { $0.name }
        $0.flag("quiet") { $0.isQuiet }
    }
}
