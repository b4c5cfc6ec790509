import Core
import HTTP
import Platform
import Registry
import SignIn

/// Form of an App ID's connection to Apple.
struct AppleConnectionForm: ResourceForm {
    let appID: String
    let servicesID: String
    let keyID: String

    /// An empty form.
    ///
    /// - Parameters:
    ///   - appID: the preselected App ID.
    ///   - keyID: the preselected key.
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

    /// The unparsed values for a change of `current`, or for a new connection.
    func input(over current: AppleConnection? = nil) -> AppleConnection.Input {
        AppleConnection.Input(appID: current?.appID.rawValue ?? appID, servicesID: servicesID.trimmed, keyID: keyID)
    }

    var fields: [FormCoding.Field] { [FormCoding.Field("servicesID", servicesID), FormCoding.Field("keyID", keyID)] }

    func compared(with current: AppleConnection) -> [ConflictPage.Row] {
        [
            .init(label: Message("console.apple.services-id"), theirs: current.servicesID.rawValue, yours: servicesID),
            .init(label: Message("console.apple.key"), theirs: current.keyID.rawValue, yours: keyID),
        ]
    }
}

// Inputs.
extension AppleConnectionForm {
    /// The inputs of a new connection of one of `primaries` with one of `keys`.
    func inputs(_ problems: FormProblems, of primaries: [AppID], _ keys: [AppleKey]) -> [InputView] {
        let parent = InputView.appIDs(
            primaries, chosen: appID, label: Message("console.apple.app-id"),
            hint: Message("console.apple.app-id.hint"), error: problems["appID"])
        return [parent] + inputs(problems, keys)
    }

    /// The inputs that can change.
    func inputs(_ problems: FormProblems, _ keys: [AppleKey]) -> [InputView] {
        [
            .field(
                FieldView(
                    "servicesID", label: Message("console.apple.services-id"), value: servicesID, autocomplete: "off",
                    placeholder: "com.example.siwa", hint: Message("console.apple.services-id.hint"),
                    error: problems["servicesID"], isCode: true)),
            .select(
                SelectView(
                    "keyID", label: Message("console.apple.key"), hint: Message("console.apple.key.hint"),
                    error: problems["keyID"],
                    options: keys.map { key in
                        SelectView.Option(
                            key.id.rawValue, "\(key.id), \(key.name) (\(key.appID))",
                            isSelected: key.id.rawValue == keyID)
                    })),
        ]
    }
}
