public import Bytes
public import Domain

/// What keeps a team in its sandbox: something registered by the sandbox's rules alone.
public struct ProductionObstacle: Sendable {
    /// The App ID or Service ID that it is.
    public let identifier: ClientID
    /// The same with what is wrong with it.
    public let words: Phrase

    private init?(_ kind: String, _ identifier: ClientID, _ parse: () throws(Problems) -> Void) {
        do {
            try parse()
            return nil
        } catch {
            let thing = "\(kind) \(identifier)"
            words = Phrase("console.refusals.production", ["thing": thing, "problem": error.all[0].message])
            self.identifier = identifier
        }
    }

    /// Nil for one that a team in production may have.
    public init?(_ app: AppID) {
        self.init("App ID", app.identifier) { () throws(Problems) in
            _ = try AppID.Draft(parsing: AppID.Input(app.draft), policy: .hostNames)
        }
    }

    /// Nil for one that a team in production may have.
    public init?(_ service: ServiceID) {
        self.init("Service ID", service.identifier) { () throws(Problems) in
            let input = ServiceID.Input(service.draft)
            _ = try ServiceID.Draft(parsing: input, of: service.appID, policy: .hostNames)
        }
    }
}
