import Core
import Crypto
import Directory
import Templates

/// Page that requests a second factor or the password.
struct FactorPage: HostedPage {
    static let template = "hosted/factors/prove"
    static let fields = frameFields.with {
        $0.words("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.text("csrf") { $0.formToken }
        $0.text("action") { $0.action }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.optionalGroup("code", Code.fields) { $0.code }
        $0.optionalGroup("password", Password.fields) { $0.password }
        $0.list("others", Other.fields) { $0.others }
        $0.flag("cancellable") { $0.isCancellable }
        $0.optionalText("backURL") { $0.backURL }
    }

    /// Code to enter.
    struct Code: Sendable {
        let method: String
        let field: FieldView

        static let fields = Fields<Code> {
            $0.text("method") { $0.method }
            $0.group("field", FieldView.fields) { $0.field }
        }
    }

    /// Password, requested again from a user without a second factor.
    struct Password: Sendable {
        let email: FieldView
        let password: FieldView

        static let fields = Fields<Password> {
            $0.group("email", FieldView.fields) { $0.email }
            $0.group("password", FieldView.fields) { $0.password }
        }
    }

    /// Link to another kind of factor.
    struct Other: Sendable {
        let url: String
        let label: LocalizedText

        static let fields = Fields<Other> {
            $0.text("url") { $0.url }
            $0.words("label") { $0.label }
        }
    }

    let frame: HostedFrame
    let lead: LocalizedText
    var error: LocalizedText?
    let formToken: String
    let action: String
    var passkey: PasskeyFormView?
    var code: Code?
    var password: Password?
    var others: [Other] = []
    var isCancellable = false
    var backURL: String?
}

/// Page of one factor of the user.
struct FactorDetailPage: HostedPage {
    static let template = "hosted/factors/detail"
    static let fields = frameFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("error") { $0.error }
        $0.text("csrf") { $0.formToken }
        $0.group("added", TimeView.fields) { TimeView($0.addedAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
        $0.optionalWords("kept") { $0.kept }
        $0.optionalGroup("rename", Rename.fields) { $0.rename }
        $0.optionalText("replaceURL") { $0.replaceURL }
        $0.group("removal", Removal.fields) { $0.removal }
        $0.text("backURL") { $0.backURL }
    }

    struct Rename: Sendable {
        let action: String
        var field: FieldView

        static let fields = Fields<Rename> {
            $0.text("action") { $0.action }
            $0.group("field", FieldView.fields) { $0.field }
        }
    }

    struct Removal: Sendable {
        let action: String
        let about: LocalizedText
        let label: LocalizedText

        static let fields = Fields<Removal> {
            $0.text("action") { $0.action }
            $0.words("about") { $0.about }
            $0.words("label") { $0.label }
        }
    }

    let frame: HostedFrame
    let heading: LocalizedText
    var error: LocalizedText?
    let formToken: String
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?
    var kept: LocalizedText?
    var rename: Rename?
    var replaceURL: String?
    let removal: Removal
    let backURL: String
}

/// Page that sets up a second factor: first the choice of a kind, then the factor.
struct FactorSetupPage: HostedPage {
    static let template = "hosted/factors/set-up"
    static let fields = frameFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.text("csrf") { $0.formToken }
        $0.text("action") { $0.action }
        $0.list("choices", Choice.fields) { $0.choices }
        $0.optionalGroup("totp", TOTP.fields) { $0.totp }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.flag("cancellable") { $0.isCancellable }
        $0.optionalText("backURL") { $0.backURL }
    }

    /// Kind of factor to choose.
    struct Choice: Sendable {
        let url: String
        let title: LocalizedText
        let about: LocalizedText

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
        let error: LocalizedText?
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

    let frame: HostedFrame
    let heading: LocalizedText
    var lead: LocalizedText?
    var error: LocalizedText?
    let formToken: String
    let action: String
    var choices: [Choice] = []
    var totp: TOTP?
    var passkey: PasskeyFormView?
    var isCancellable = false
    var backURL: String?
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
struct RecoveryCodesPage: HostedPage {
    static let template = "hosted/factors/codes"
    static let fields = frameFields.with {
        $0.group("codes", CopyView.fields) {
            CopyView(Message("hosted.factors.codes.label"), $0.codes.map(\.text).joined(separator: "\n"))
        }
        $0.text("csrf") { $0.formToken }
        $0.text("fileURL") { $0.fileURL }
        $0.text("continueURL") { $0.continueURL }
    }

    let frame: HostedFrame
    let codes: [RecoveryCode]
    let formToken: String
    let fileURL: String
    let continueURL: String
}
