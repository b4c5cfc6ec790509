import Bytes
import Domain
import HTTP
import Registry
import Web

/// What was typed of how an App ID is registered at Apple.
struct AppleConnectionForm: ResourceForm {
    let appID: String
    let servicesID: String
    let keyID: String

    /// An empty form.
    ///
    /// - Parameters:
    ///   - appID: the App ID that is chosen already.
    ///   - keyID: the key that is chosen already.
    init(of appID: String = "", keyID: String = "") {
        self.appID = appID
        servicesID = ""
        self.keyID = keyID
    }

    init(_ form: Form) {
        appID = form["appID"] ?? ""
        servicesID = form["servicesID"] ?? ""
        keyID = form["keyID"] ?? ""
    }

    init(_ connection: AppleConnection) {
        appID = connection.appID.rawValue
        servicesID = connection.servicesID.rawValue
        keyID = connection.keyID.rawValue
    }

    /// A new connection as it was typed.
    var input: AppleConnection.Input {
        AppleConnection.Input(appID: appID, servicesID: servicesID.trimmed, keyID: keyID)
    }

    /// What was typed over `current`.
    func input(over current: AppleConnection) -> AppleConnection.Input {
        AppleConnection.Input(
            appID: current.appID.rawValue,
            servicesID: servicesID.trimmed,
            keyID: keyID
        )
    }

    var fields: [FormCoding.Field] {
        [FormCoding.Field("servicesID", servicesID), FormCoding.Field("keyID", keyID)]
    }

    func compared(with current: AppleConnection) -> [ConflictPage.Row] {
        [
            .init(
                label: Phrase("console.apple.services-id"),
                theirs: current.servicesID.rawValue,
                yours: servicesID
            ),
            .init(label: Phrase("console.apple.key"), theirs: current.keyID.rawValue, yours: keyID),
        ]
    }
}

// The fields as pages show them.
extension AppleConnectionForm {
    func appIDSelect(of primaries: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID",
            label: Phrase("console.apple.app-id"),
            hint: Phrase("console.apple.app-id.hint"),
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

    func servicesIDField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "servicesID",
            label: Phrase("console.apple.services-id"),
            value: servicesID,
            autocomplete: "off",
            placeholder: "com.example.siwa",
            hint: Phrase("console.apple.services-id.hint"),
            error: problems["servicesID"],
            isCode: true
        )
    }

    func keySelect(of keys: [AppleKey], _ problems: FormProblems) -> SelectView {
        SelectView(
            "keyID",
            label: Phrase("console.apple.key"),
            hint: Phrase("console.apple.key.hint"),
            error: problems["keyID"],
            options: keys.map { key in
                SelectView.Option(
                    key.id.rawValue,
                    "\(key.id), \(key.name) (\(key.appID))",
                    isSelected: key.id.rawValue == keyID
                )
            }
        )
    }
}
