import Bytes
import Domain
import HTTP
import Registry
import Web

/// What was typed of a key from Apple, or pasted from its file.
struct AppleKeyForm: ResourceForm {
    let id: String
    let appleTeamID: String
    let name: String
    let appID: String
    /// Never shown again: neither in an answer nor in a log.
    let privateKey: String

    /// An empty form.
    ///
    /// - Parameter appID: the App ID that is chosen already.
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

    /// A new key as it was typed; Apple's ids are in upper case.
    var input: AppleKey.Input {
        AppleKey.Input(
            id: id.trimmed.uppercased(),
            appleTeamID: appleTeamID.trimmed.uppercased(),
            name: name,
            appID: appID,
            privateKey: privateKey.trimmed
        )
    }

    /// What was typed over `current`.
    func input(over current: AppleKey) -> AppleKey.Input {
        AppleKey.Input(
            id: current.id.rawValue,
            appleTeamID: appleTeamID.trimmed.uppercased(),
            name: name
        )
    }

    var fields: [FormCoding.Field] {
        [FormCoding.Field("name", name), FormCoding.Field("appleTeamID", appleTeamID)]
    }

    func compared(with current: AppleKey) -> [ConflictPage.Row] {
        [
            .init(label: Phrase("console.apple-keys.name"), theirs: current.name, yours: name),
            .init(
                label: Phrase("console.apple-keys.team"),
                theirs: current.appleTeamID.rawValue,
                yours: appleTeamID
            ),
        ]
    }
}

// The fields as pages show them.
extension AppleKeyForm {
    func nameField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "name",
            label: Phrase("console.apple-keys.name"),
            value: name,
            autocomplete: "off",
            hint: Phrase("console.apple-keys.name.hint"),
            error: problems["name"]
        )
    }

    func idField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "id",
            label: Phrase("console.apple-keys.id"),
            value: id,
            autocomplete: "off",
            placeholder: "ABC123DEFG",
            hint: Phrase("console.apple-keys.id.hint"),
            error: problems["id"],
            isCode: true
        )
    }

    func teamField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "appleTeamID",
            label: Phrase("console.apple-keys.team"),
            value: appleTeamID,
            autocomplete: "off",
            placeholder: "DEF456GHIJ",
            hint: Phrase("console.apple-keys.team.hint"),
            error: problems["appleTeamID"],
            isCode: true
        )
    }

    /// Empty whatever was typed: a private key does not travel back.
    func privateKeyArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "privateKey",
            label: Phrase("console.apple-keys.private-key"),
            hint: Phrase("console.apple-keys.private-key.hint"),
            errors: (problems["privateKey"]
                ?? (problems.all.isEmpty ? nil : Phrase("console.apple-keys.private-key.again").asWords))
                .map { [$0] } ?? [],
            lineCount: 6,
            isCode: true
        )
    }

    func appIDSelect(of primaries: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID",
            label: Phrase("console.apple-keys.app-id"),
            hint: Phrase("console.apple-keys.app-id.hint"),
            error: problems["appID"],
            options: primaries.map { primary in
                SelectView.Option(
                    primary.identifier.rawValue,
                    "\(primary.description) (\(primary.identifier))",
                    isSelected: primary.identifier.rawValue == appID
                )
            }
        )
    }
}
