import Bytes
import Crypto
import Directory
import QRCode
import Templates
import Web

/// Sets up a second factor: which one, then the one.
struct FactorSetupPage: HostedPage {
    static let template = "hosted/factors/set-up"
    static let fields =
        frameFields
        .words("heading") { $0.heading }
        .optionalWords("lead") { $0.lead }
        .optionalWords("error") { $0.error }
        .text("csrf") { $0.formToken }
        .text("action") { $0.action }
        .list("choices", Choice.fields) { $0.choices }
        .optionalGroup("totp", TOTP.fields) { $0.totp }
        .optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        .flag("cancellable") { $0.isCancellable }
        .optionalText("backURL") { $0.backURL }

    /// A factor to choose.
    struct Choice: Sendable {
        let url: String
        let title: Words
        let about: Words

        static let fields = Fields<Choice>()
            .text("url") { $0.url }
            .words("title") { $0.title }
            .words("about") { $0.about }
    }

    /// An authenticator app about to be added.
    struct TOTP: Sendable {
        let offer: TOTPOffer
        /// What a camera reads.
        let uri: String
        let error: Words?
        let replaces: Bool

        static let fields = Fields<TOTP>()
            .group("qr", QRView.fields) { QRView($0.uri) }
            .group("key", CopyView.fields) {
                CopyView(Phrase("hosted.factors.set-up.totp.key"), $0.offer.secret.readable)
            }
            .text("sealed") { $0.offer.sealed }
            .group("code", FieldView.fields) { totp in
                FieldView(
                    "code",
                    label: Phrase("hosted.factors.set-up.totp.label"),
                    type: "text",
                    autocomplete: "one-time-code",
                    error: totp.error,
                    isCode: true
                )
            }
            .flag("replaces") { $0.replaces }
    }

    let frame: HostedFrame
    let heading: Words
    var lead: Words?
    var error: Words?
    let formToken: String
    let action: String
    var choices: [Choice] = []
    var totp: TOTP?
    var passkey: PasskeyFormView?
    var isCancellable = false
    var backURL: String?
}

/// A QR code on a page.
struct QRView: Sendable {
    let size: Int
    let path: String

    /// Empty for a text that no code holds, which a page's own text always is not.
    init(_ text: String) {
        let code = QRCode(text)
        size = code?.outerSize ?? 0
        path = code?.svgPath ?? ""
    }

    static let fields = Fields<QRView>()
        .text("size") { String($0.size) }
        .text("path") { $0.path }
}
