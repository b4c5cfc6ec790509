import Core
import Platform
import Registry
import SignIn

extension Input {
    /// Selection list of App IDs, in which none is chosen by itself unless there is only one.
    ///
    /// - Parameter disabled: those that cannot be chosen, each with the reason.
    static func appIDs(
        _ appIDs: [AppID], chosen: String, disabled: [ClientID: Message] = [:], label: Message, hint: Message? = nil,
        errors: FieldErrors = FieldErrors()
    ) -> Input {
        let free = appIDs.filter { disabled[$0.identifier] == nil }
        let chosen = free.count == 1 && chosen.isEmpty ? free[0].identifier.rawValue : chosen
        let options = Option.appIDs(
            appIDs, chosen: chosen, disabled: disabled, none: Message("console.registry.choose-app-id"))
        return Input("appID", label, as: .list(options), hint: hint, errors: errors, isRequired: true)
    }
}

extension Option {
    /// - Parameter none: the choice that stands for no App ID.
    static func appIDs(_ appIDs: [AppID], chosen: String, disabled: [ClientID: Message] = [:], none: Message)
        -> [Option]
    {
        let known = appIDs.map { app in
            let (id, reason) = (app.identifier.rawValue, disabled[app.identifier])
            let text = Message("console.registry.option", ["description": app.description, "identifier": id])
            return Option(
                id, reason.map { .list([text.localizedText, $0.localizedText]) } ?? text.localizedText,
                isChosen: id == chosen, isDisabled: reason != nil)
        }
        return [Option("", none, isChosen: chosen.isEmpty)] + known
    }
}
