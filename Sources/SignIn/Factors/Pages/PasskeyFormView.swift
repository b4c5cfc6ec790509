import Bytes
public import Templates
import Web
import WebAuthn

/// A form that Public/factors.js fills with what a passkey answers.
public struct PasskeyFormView: Sendable {
    enum Kind: String, Sendable {
        case get
        case create
    }

    let kind: Kind
    let action: String
    let formToken: String
    /// For the browser, as JSON.
    let options: String
    let label: Words
    /// Whether the browser may offer keys in the field for the name.
    var isConditional = false
    /// What a new key is to be called.
    var name: FieldView?
    /// Whether there is a more usual way on the page.
    var isQuiet = false

    /// The button of the sign-in page that asks for nothing, for a preview; nil where there can be no passkeys.
    public static func sample(at publicURL: String) -> PasskeyFormView? {
        guard RelyingParty(publicURL: publicURL) != nil else { return nil }
        return PasskeyFormView(
            kind: .get,
            action: "",
            formToken: "",
            options: "{}",
            label: Phrase("hosted.factors.passkey.sign-in").asWords,
            isQuiet: true
        )
    }

    public static let fields = Fields<PasskeyFormView>()
        .text("kind") { $0.kind.rawValue }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("options") { $0.options }
        .flag("conditional") { $0.isConditional }
        .words("label") { $0.label }
        .optionalGroup("name", FieldView.fields) { $0.name }
        .flag("quiet") { $0.isQuiet }
}
