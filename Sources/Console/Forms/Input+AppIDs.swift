import Core
import Platform
import Registry
import SignIn

extension Input {
    /// Selection list of App IDs.
    ///
    /// - Parameter none: the choice that stands for no App ID; nil if one has to be chosen.
    static func appIDs(
        _ appIDs: [AppID], chosen: String, _ name: String = "appID", label: Message, hint: Message? = nil,
        errors: FieldErrors = FieldErrors(), none: Message? = nil
    ) -> Input {
        let known = appIDs.map { app in
            let id = app.identifier.rawValue
            let text = Message("console.registry.option", ["description": app.description, "identifier": id])
            return Option(id, text, isChosen: id == chosen)
        }
        let none = none.map { [Option("", $0, isChosen: chosen.isEmpty)] } ?? []
        return Input(name, label, as: .list(none + known), hint: hint, errors: errors)
    }
}
