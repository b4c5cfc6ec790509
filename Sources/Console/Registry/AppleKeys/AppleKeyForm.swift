import Bytes
import Domain
import HTTP
import Localization
import Registry
import Web

/// Form of an imported Apple key.
struct AppleKeyForm: ResourceForm {
    let id: String
    let appleTeamID: String
    let name: String
    let appID: String
    /// The private key in PEM; must not appear in a response or a log.
    let privateKey: String

    /// An empty form.
    ///
    /// - Parameter appID: the preselected App ID.
    init(of appID: String = "") {
        (id, appleTeamID, name, privateKey) = ("", "", "", "")
        self.appID = appID
    }

    init(_ form: Form) {
        id = form["id"] ?? ""
        appleTeamID = form["appleTeamID"] ?? ""
        name = form["name"] ?? ""
        appID = form["appID"] ?? ""
        privateKey = form["privateKey"] ?? ""
    }

    init(_ key: AppleKey) {
        id = key.id.rawValue
        appleTeamID = key.appleTeamID.rawValue
        name = key.name
        appID = key.appID.rawValue
        privateKey = ""
    }

    /// The unparsed values for a new key; ids are converted to upper case, as Apple writes them.
    var input: AppleKey.Input {
        AppleKey.Input(
            id: id.trimmed.uppercased(), appleTeamID: appleTeamID.trimmed.uppercased(), name: name, appID: appID,
            privateKey: privateKey.trimmed)
    }

    /// The unparsed values for a change of `current`.
    func input(over current: AppleKey) -> AppleKey.Input {
        AppleKey.Input(id: current.id.rawValue, appleTeamID: appleTeamID.trimmed.uppercased(), name: name)
    }

    var fields: [FormCoding.Field] { [FormCoding.Field("name", name), FormCoding.Field("appleTeamID", appleTeamID)] }

    func compared(with current: AppleKey) -> [ConflictPage.Row] {
        [
            .init(label: Message("console.apple-keys.name"), theirs: current.name, yours: name),
            .init(label: Message("console.apple-keys.team"), theirs: current.appleTeamID.rawValue, yours: appleTeamID),
        ]
    }
}

// Form fields.
extension AppleKeyForm {
    func nameField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "name", label: Message("console.apple-keys.name"), value: name, autocomplete: "off",
            hint: Message("console.apple-keys.name.hint"), error: problems["name"])
    }

    func idField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "id", label: Message("console.apple-keys.id"), value: id, autocomplete: "off", placeholder: "ABC123DEFG",
            hint: Message("console.apple-keys.id.hint"), error: problems["id"], isCode: true)
    }

    func teamField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "appleTeamID", label: Message("console.apple-keys.team"), value: appleTeamID, autocomplete: "off",
            placeholder: "DEF456GHIJ", hint: Message("console.apple-keys.team.hint"), error: problems["appleTeamID"],
            isCode: true)
    }

    /// The field of the private key, always empty, because a private key must not be sent back to the browser.
    func privateKeyArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "privateKey", label: Message("console.apple-keys.private-key"),
            hint: Message("console.apple-keys.private-key.hint"),
            errors: (problems["privateKey"]
                ?? (problems.all.isEmpty ? nil : Message("console.apple-keys.private-key.again").localizedText)).map {
                    [$0]
                } ?? [], lineCount: 6, isCode: true)
    }

    func appIDSelect(of primaries: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID", label: Message("console.apple-keys.app-id"), hint: Message("console.apple-keys.app-id.hint"),
            error: problems["appID"],
            options: primaries.map { primary in
                SelectView.Option(
                    primary.identifier.rawValue, "\(primary.description) (\(primary.identifier))",
                    isSelected: primary.identifier.rawValue == appID)
            })
    }
}
