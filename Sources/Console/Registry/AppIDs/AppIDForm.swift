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
        func grouping(_ primary: String) -> String { primary.isEmpty ? "Primary" : "Under \(primary)" }
        func signIn(_ isEnabled: Bool) -> String { isEnabled ? "On" : "Off" }
        return [
            .init(label: "Description", theirs: current.description, yours: description),
            .init(
                label: "Group",
                theirs: grouping(current.primary?.rawValue ?? ""),
                yours: grouping(primary)
            ),
            .init(label: "Sign in", theirs: signIn(current.isEnabled), yours: signIn(isEnabled)),
            .init(
                label: "Notification URL",
                theirs: current.notificationURL?.text ?? "None",
                yours: notificationURL.isEmpty ? "None" : notificationURL
            ),
        ]
    }
}

// The fields as pages show them.
extension AppIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier",
            label: "Bundle ID",
            value: identifier,
            autocomplete: "off",
            placeholder: "com.example.app",
            hint: "In reverse-DNS form, as Xcode shows it. It stays as it is afterwards.",
            error: problems["identifier"],
            isCode: true
        )
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description",
            label: "Description",
            value: description,
            autocomplete: "off",
            hint: "The app's name, as people read it when they sign in to the app itself.",
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
                "\(appID.description) (\(appID.identifier))",
                isSelected: appID.identifier.rawValue == primary
            )
        }
        return SelectView(
            "primary",
            label: "Group",
            hint: "Apps under one primary share their people's consents and their keys.",
            error: problems["primary"] ?? problems["appID"],
            options: [SelectView.Option("", "None: a primary App ID", isSelected: primary.isEmpty)] + known
        )
    }

    var signInBox: CheckboxView {
        CheckboxView(
            "signIn",
            label: "People may sign in",
            hint: "Switched off, neither the app nor its Service IDs sign anybody in.",
            isChecked: isEnabled
        )
    }
}
