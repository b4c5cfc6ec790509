import Bytes
import Domain
import HTTP
import Registry
import Web

/// What was typed of an App ID.
struct AppIDForm: ResourceForm {
    let identifier: String
    let description: String
    let primary: String
    let isEnabled: Bool
    let notificationURL: String

    /// An empty form.
    init() {
        (identifier, description, primary, isEnabled, notificationURL) = ("", "", "", true, "")
    }

    init(_ form: Form) {
        identifier = form["identifier"] ?? ""
        description = form["description"] ?? ""
        primary = form["primary"] ?? ""
        isEnabled = form.isChecked("signIn")
        notificationURL = form["notificationURL"] ?? ""
    }

    init(_ appID: AppID) {
        identifier = appID.identifier.rawValue
        description = appID.description
        primary = appID.primary?.rawValue ?? ""
        isEnabled = appID.isEnabled
        notificationURL = appID.notificationURL?.text ?? ""
    }

    /// A new App ID as it was typed.
    var input: AppID.Input {
        AppID.Input(
            identifier: identifier.trimmed,
            description: description,
            isEnabled: isEnabled,
            primary: primary,
            notificationURL: notificationURL.trimmed
        )
    }

    /// What was typed over `current`; what has no field stays as it is.
    func input(over current: AppID) -> AppID.Input {
        AppID.Input(
            identifier: current.identifier.rawValue,
            description: description,
            isEnabled: isEnabled,
            primary: primary,
            notificationURL: notificationURL.trimmed
        )
    }

    /// The fields, to be sent once more.
    var fields: [FormCoding.Field] {
        var fields = [
            FormCoding.Field("description", description), FormCoding.Field("primary", primary),
            FormCoding.Field("notificationURL", notificationURL),
        ]
        if isEnabled { fields.append(FormCoding.Field("signIn", "yes")) }
        return fields
    }

    /// Each setting beside the one of `current`.
    func compared(with current: AppID) -> [ConflictPage.Row] {
        func grouping(_ primary: String) -> Phrase {
            primary.isEmpty
                ? Phrase("console.registry.primary") : Phrase("console.registry.under", ["primary": primary])
        }
        func signIn(_ isEnabled: Bool) -> Phrase {
            isEnabled ? Phrase("console.registry.on") : Phrase("console.registry.off")
        }
        return [
            .init(
                label: Phrase("console.registry.description"),
                theirs: current.description,
                yours: description
            ),
            .init(
                label: Phrase("console.registry.group"),
                theirs: grouping(current.primary?.rawValue ?? ""),
                yours: grouping(primary)
            ),
            .init(
                label: Phrase("console.registry.sign-in"),
                theirs: signIn(current.isEnabled),
                yours: signIn(isEnabled)
            ),
            .init(
                label: Phrase("console.notices.address"),
                theirs: current.notificationURL?.text ?? Phrase("console.registry.none") as any Wording,
                yours: notificationURL.isEmpty
                    ? Phrase("console.registry.none") as any Wording : notificationURL
            ),
        ]
    }
}

// The fields as pages show them.
extension AppIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier",
            label: Phrase("console.app-ids.bundle-id"),
            value: identifier,
            autocomplete: "off",
            placeholder: "com.example.app",
            hint: Phrase("console.app-ids.bundle-id.hint"),
            error: problems["identifier"],
            isCode: true
        )
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description",
            label: Phrase("console.registry.description"),
            value: description,
            autocomplete: "off",
            hint: Phrase("console.app-ids.description.hint"),
            error: problems["description"]
        )
    }

    func notificationURLField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "notificationURL",
            label: Phrase("console.notices.address"),
            type: "url",
            value: notificationURL,
            autocomplete: "off",
            placeholder: "https://example.com/apple/notices",
            hint: Phrase("console.notices.address.hint"),
            error: problems["notificationURL"],
            isRequired: false,
            isCode: true
        )
    }

    func primarySelect(of primaries: [AppID], _ problems: FormProblems) -> SelectView {
        let known = primaries.map { appID in
            SelectView.Option(
                appID.identifier.rawValue,
                appID.optionLabel,
                isSelected: appID.identifier.rawValue == primary
            )
        }
        return SelectView(
            "primary",
            label: Phrase("console.registry.group"),
            hint: Phrase("console.app-ids.group.hint"),
            error: problems["primary"] ?? problems["appID"],
            options: [
                SelectView.Option("", Phrase("console.app-ids.group.none"), isSelected: primary.isEmpty)
            ] + known
        )
    }

    var signInBox: CheckboxView {
        CheckboxView(
            "signIn",
            label: Phrase("console.app-ids.sign-in.label"),
            hint: Phrase("console.app-ids.sign-in.hint"),
            isChecked: isEnabled
        )
    }
}
