import Bytes
import Templates
import Web

/// The first time with an app: what it will get to know.
struct ConsentPage: HostedPage {
    static let template = "hosted/consent"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .list("errors", FormError.fields) { $0.errors }
        .group("person", PersonView.fields) { $0.person }
        .optionalGroup("name", NameChoice.fields) { $0.name }
        .optionalGroup("email", EmailChoice.fields) { $0.email }

    /// Shown when the app asks for the name.
    struct NameChoice: Sendable {
        let given: FieldView
        let family: FieldView

        static let fields = Fields<NameChoice>()
            .group("given", FieldView.fields) { $0.given }
            .group("family", FieldView.fields) { $0.family }

        init(given: String, family: String, errors: [FormError] = []) {
            func error(_ name: String) -> Words? { errors.first { $0.id == "field-\(name)" }?.message }
            self.given = FieldView(
                "given_name",
                label: Phrase("hosted.consent.given"),
                value: given,
                autocomplete: "given-name",
                error: error("given_name"),
                isRequired: false
            )
            self.family = FieldView(
                "family_name",
                label: Phrase("hosted.consent.family"),
                value: family,
                autocomplete: "family-name",
                error: error("family_name"),
                isRequired: false
            )
        }
    }

    /// Shown when the app asks for the e-mail address.
    struct EmailChoice: Sendable {
        let address: String
        let isHidden: Bool

        static let fields = Fields<EmailChoice>()
            .text("address") { $0.address }
            .flag("hidden") { $0.isHidden }
            // No relay runs in this version, and the sheet says so.
            .flag("forwards") { _ in false }
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
