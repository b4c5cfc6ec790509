import Core
import Crypto
import Directory
import Templates

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
