import Bytes
import Domain
import HTTP
import Localization
import Registry
import Web

/// Form of an App ID.
struct AppIDForm: ResourceForm {
    let identifier: String
    let description: String
    let primary: String
    let isEnabled: Bool
    let notificationURL: String
    let issuer: String

    /// An empty form.
    init() {
        (identifier, description, primary, isEnabled, notificationURL) = ("", "", "", true, "")
        issuer = ServiceID.Issuer.own.rawValue
    }

    init(_ form: Form) {
        identifier = form["identifier"] ?? ""
        description = form["description"] ?? ""
        primary = form["primary"] ?? ""
        isEnabled = form.isChecked("signIn")
        notificationURL = form["notificationURL"] ?? ""
        issuer = form["issuer"] ?? ServiceID.Issuer.own.rawValue
    }

    init(_ appID: AppID) {
        identifier = appID.identifier.rawValue
        description = appID.description
        primary = appID.primary?.rawValue ?? ""
        isEnabled = appID.isEnabled
        notificationURL = appID.notificationURL?.text ?? ""
        issuer = appID.issuer.rawValue
    }

    /// The unparsed values for a new App ID.
    var input: AppID.Input {
        AppID.Input(
            identifier: identifier.trimmed, description: description, isEnabled: isEnabled, primary: primary,
            notificationURL: notificationURL.trimmed, issuer: issuer)
    }

    /// The unparsed values for a change of `current`, whose identifier is kept.
    func input(over current: AppID) -> AppID.Input {
        AppID.Input(
            identifier: current.identifier.rawValue, description: description, isEnabled: isEnabled, primary: primary,
            notificationURL: notificationURL.trimmed, issuer: issuer)
    }

    var fields: [FormCoding.Field] {
        var fields = [
            FormCoding.Field("description", description), FormCoding.Field("primary", primary),
            FormCoding.Field("notificationURL", notificationURL), FormCoding.Field("issuer", issuer),
        ]
        if isEnabled { fields.append(FormCoding.Field("signIn", "yes")) }
        return fields
    }

    func compared(with current: AppID) -> [ConflictPage.Row] {
        func grouping(_ primary: String) -> Message {
            primary.isEmpty
                ? Message("console.registry.primary") : Message("console.registry.under", ["primary": primary])
        }
        func signIn(_ isEnabled: Bool) -> Message {
            isEnabled ? Message("console.registry.on") : Message("console.registry.off")
        }
        return [
            .init(label: Message("console.registry.description"), theirs: current.description, yours: description),
            .init(
                label: Message("console.registry.group"), theirs: grouping(current.primary?.rawValue ?? ""),
                yours: grouping(primary)),
            .init(
                label: Message("console.registry.sign-in"), theirs: signIn(current.isEnabled), yours: signIn(isEnabled)),
            .init(
                label: Message("console.notifications.address"),
                theirs: current.notificationURL?.text ?? Message("console.registry.none")
                    as any LocalizedTextConvertible,
                yours: notificationURL.isEmpty
                    ? Message("console.registry.none") as any LocalizedTextConvertible : notificationURL),
            .init(
                label: Message("console.registry.issuer"), theirs: ServiceID.Issuer.words(current.issuer.rawValue),
                yours: ServiceID.Issuer.words(issuer)),
        ]
    }
}

// Form fields.
extension AppIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier", label: Message("console.app-ids.bundle-id"), value: identifier, autocomplete: "off",
            placeholder: "com.example.app", hint: Message("console.app-ids.bundle-id.hint"),
            error: problems["identifier"], isCode: true)
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description", label: Message("console.registry.description"), value: description, autocomplete: "off",
            hint: Message("console.app-ids.description.hint"), error: problems["description"])
    }

    func notificationURLField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "notificationURL", label: Message("console.notifications.address"), type: "url", value: notificationURL,
            autocomplete: "off", placeholder: "https://example.com/apple/notices",
            hint: Message("console.notifications.address.hint"), error: problems["notificationURL"], isRequired: false,
            isCode: true)
    }

    func primarySelect(of primaries: [AppID], _ problems: FormProblems) -> SelectView {
        let known = primaries.map { appID in
            SelectView.Option(
                appID.identifier.rawValue, appID.optionLabel, isSelected: appID.identifier.rawValue == primary)
        }
        return SelectView(
            "primary", label: Message("console.registry.group"), hint: Message("console.app-ids.group.hint"),
            error: problems["primary"] ?? problems["appID"],
            options: [SelectView.Option("", Message("console.app-ids.group.none"), isSelected: primary.isEmpty)] + known
        )
    }

    var signInBox: CheckboxView {
        CheckboxView(
            "signIn", label: Message("console.app-ids.sign-in.label"), hint: Message("console.app-ids.sign-in.hint"),
            isChecked: isEnabled)
    }
}
