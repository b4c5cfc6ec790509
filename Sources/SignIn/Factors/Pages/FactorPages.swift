import Core
import Crypto
import Directory
import HTTP
public import Templates

/// Page that requests a second factor or the password.
struct FactorPage: FormPage {
    static let template = "hosted/factors/prove"
    static let fields = formFields.with {
        $0.words("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.text("method") { $0.method }
        $0.list("inputs", FieldView.fields) { $0.inputs }
        $0.list("others", Other.fields) { $0.others }
        $0.flag("cancellable") { $0.isCancellable }
    }

    /// Link to another kind of factor.
    struct Other: Sendable {
        let url: String
        let label: Message

        static let fields = Fields<Other> {
            $0.text("url") { $0.url }
            $0.words("label") { $0.label }
        }
    }

    let form: HostedForm
    let lead: Message
    var error: Message?
    var passkey: PasskeyFormView?
    /// What the inputs ask for: a kind of factor, or `password`.
    var method = ""
    /// Code to enter, or the password of a user without a second factor.
    var inputs: [FieldView] = []
    var others: [Other] = []
    var isCancellable = false
}

/// Page of one factor of the user, which its form removes.
struct FactorDetailPage: FormPage {
    static let template = "hosted/factors/detail"
    static let fields = formFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("error") { $0.error }
        $0.group("added", TimeView.fields) { TimeView($0.addedAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
        $0.optionalWords("kept") { $0.kept }
        $0.optionalGroup("rename", Rename.fields) { $0.rename }
        $0.optionalText("replaceURL") { $0.replaceURL }
        $0.words("about") { $0.about }
        $0.words("label") { $0.label }
    }

    struct Rename: Sendable {
        let action: String
        var field: FieldView

        static let fields = Fields<Rename> {
            $0.text("action") { $0.action }
            $0.group("field", FieldView.fields) { $0.field }
        }
    }

    let form: HostedForm
    let heading: LocalizedText
    var error: Message?
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?
    var kept: Message?
    var rename: Rename?
    var replaceURL: String?
    /// What a removal causes.
    let about: Message
    /// Words of the button that removes the factor.
    let label: Message
}

/// Page that sets up a second factor: first the choice of a kind, then the factor.
struct FactorSetupPage: FormPage {
    static let template = "hosted/factors/set-up"
    static let fields = formFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.list("choices", Choice.fields) { $0.choices }
        $0.optionalGroup("totp", TOTP.fields) { $0.totp }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.flag("cancellable") { $0.isCancellable }
    }

    /// Kind of factor to choose.
    struct Choice: Sendable {
        let url: String
        let title: Message
        let about: Message

        static let fields = Fields<Choice> {
            $0.text("url") { $0.url }
            $0.words("title") { $0.title }
            $0.words("about") { $0.about }
        }
    }

    /// Authenticator app to be added.
    struct TOTP: Sendable {
        let offer: TOTPOffer
        /// Content of the QR code.
        let uri: String
        let error: Message?
        let replaces: Bool

        static let fields = Fields<TOTP> {
            $0.group("qr", QRView.fields) { QRView($0.uri) }
            $0.group("key", CopyView.fields) {
                CopyView(Message("hosted.factors.set-up.totp.key"), $0.offer.secret.readable)
            }
            $0.text("sealed") { $0.offer.sealed }
            $0.group("code", FieldView.fields) { totp in
                FieldView(
                    "code", label: Message("hosted.factors.set-up.totp.label"), type: "text",
                    autocomplete: "one-time-code", error: totp.error, isCode: true)
            }
            $0.flag("replaces") { $0.replaces }
        }
    }

    var form: HostedForm
    let heading: Message
    var lead: Message?
    var error: Message?
    var choices: [Choice] = []
    var totp: TOTP?
    var passkey: PasskeyFormView?
    var isCancellable = false
}

/// QR code on a page.
struct QRView: Sendable {
    let size: Int
    let path: String

    /// Creates an empty code if the text is too long for one, which the texts of the pages never are.
    init(_ text: String) {
        let code = QRCode(text)
        size = code?.outerSize ?? 0
        path = code?.svgPath ?? ""
    }

    static let fields = Fields<QRView> {
        $0.text("size") { String($0.size) }
        $0.text("path") { $0.path }
    }
}

/// Page that shows new recovery codes, once.
///
/// Its form returns them as a file.
struct RecoveryCodesPage: FormPage {
    static let template = "hosted/factors/codes"
    static let fields = formFields.with {
        $0.group("codes", CopyView.fields) {
            CopyView(Message("hosted.factors.codes.label"), $0.codes.map(\.text).joined(separator: "\n"))
        }
        $0.text("continueURL") { $0.continueURL }
    }

    let form: HostedForm
    let codes: [RecoveryCode]
    let continueURL: String
}

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
