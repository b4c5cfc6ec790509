import Core
import Templates

/// Consent at the first sign-in to an app: the data that the app will receive.
struct ConsentPage: HostedPage {
    static let template = "hosted/consent"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.list("errors", FormError.fields) { $0.errors }
        $0.group("person", PersonView.fields) { $0.person }
        $0.optionalGroup("name", NameChoice.fields) { $0.name }
        $0.optionalGroup("email", EmailChoice.fields) { $0.email }
    }

    /// Present if the app requests the name.
    struct NameChoice: Sendable {
        let fields: [FieldView]

        static let fields = Fields<NameChoice> { $0.list("fields", FieldView.fields) { $0.fields } }
    }

    /// Present if the app requests the email address.
    struct EmailChoice: Sendable {
        let address: String
        let isHidden: Bool

        static let fields = Fields<EmailChoice> {
            $0.text("address") { $0.address }
            $0.flag("hidden") { $0.isHidden }
            // This version has no relay, and the page says so.
            $0.flag("forwards") { _ in false }
        }
    }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    var errors: [FormError] = []
    let person: PersonView
    var name: NameChoice?
    let email: EmailChoice?
}

/// Confirmation at every later sign-in to an app.
struct ContinuePage: HostedPage {
    static let template = "hosted/continue"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.group("person", PersonView.fields) { $0.person }
        $0.text("given") { $0.givenName }
    }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    let person: PersonView
    /// Name of the user on the button.
    let givenName: String
}
