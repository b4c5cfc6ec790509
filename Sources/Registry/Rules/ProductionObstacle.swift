public import Core
public import Platform

/// An App ID or Service ID that keeps a team in sandbox mode, because only the rules of the sandbox allow it.
public struct ProductionObstacle: Sendable {
    /// The identifier of the App ID or Service ID.
    public let identifier: ClientID
    /// Message with the identifier and its error.
    public let words: Message

    private init?(_ kind: String, _ identifier: ClientID, _ parse: () throws(FieldErrors) -> Void) {
        do {
            try parse()
            return nil
        } catch {
            let thing = "\(kind) \(identifier)"
            words = Message("console.refusals.production", ["thing": thing, "problem": error.all[0].message])
            self.identifier = identifier
        }
    }

    /// Nil when a production team may have the App ID.
    public init?(_ app: AppID) {
        self.init("App ID", app.identifier) { () throws(FieldErrors) in
            _ = try AppID.Draft(parsing: AppID.Input(app.draft), policy: .hostNames)
        }
    }

    /// Nil when a production team may have the Service ID.
    public init?(_ service: ServiceID) {
        self.init("Service ID", service.identifier) { () throws(FieldErrors) in
            _ = try ServiceID.Settings(service.settings.typed, policy: .hostNames)
        }
    }
}
