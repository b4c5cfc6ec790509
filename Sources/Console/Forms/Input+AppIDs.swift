import Core
import Platform
import Registry
import SignIn

extension Input {
    /// Selection list of App IDs.
    static func appIDs(
        _ appIDs: [AppID], chosen: String, label: Message, hint: Message? = nil, errors: FieldErrors = FieldErrors()
    ) -> Input { Input("appID", label, as: .list(Option.appIDs(appIDs, chosen: chosen)), hint: hint, errors: errors) }
}

extension Option {
    /// - Parameter none: the choice that stands for no App ID; nil if one has to be chosen.
    static func appIDs(_ appIDs: [AppID], chosen: String, none: Message? = nil) -> [Option] {
        let known = appIDs.map { app in
            let id = app.identifier.rawValue
            let text = Message("console.registry.option", ["description": app.description, "identifier": id])
            return Option(id, text, isChosen: id == chosen)
        }
        return (none.map { [Option("", $0, isChosen: chosen.isEmpty)] } ?? []) + known
    }
}
