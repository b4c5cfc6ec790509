import Core
import Crypto
public import Templates

/// Form that Public/factors.js fills with the response of a passkey.
public struct PasskeyFormView: Sendable {
    enum Kind: String, Sendable {
        case get
        case create
    }

    let kind: Kind
    let action: String
    let formToken: String
    /// See `Site.restart`.
    var restart: String?
    /// WebAuthn options for the browser, as JSON.
    let options: String
    let label: LocalizedText
    /// Whether the browser may offer passkeys in the field for the login name.
    var isConditional = false
    /// Field for the name of a new passkey.
    var name: Input?
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
        $0.optionalText("restart") { $0.restart }
        $0.text("options") { $0.options }
        $0.flag("conditional") { $0.isConditional }
        $0.words("label") { $0.label }
        $0.optionalGroup("name", Input.fields) { $0.name }
        $0.flag("quiet") { $0.isQuiet }
    }
}
