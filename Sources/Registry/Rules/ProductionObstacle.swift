public import Core
public import Platform

/// An App ID or Service ID that keeps a team in sandbox mode, because only the rules of the sandbox allow it.
public struct ProductionObstacle: Sendable {
    /// The identifier of the App ID or Service ID.
    public let identifier: ClientID
    /// Message with the identifier and its error.
    public let words: Message

    /// Nil when a production team may have the App ID.
    public init?(_ app: AppID) { self.init("App ID", app.identifier, app.settings) }

    /// Nil when a production team may have the Service ID.
    public init?(_ service: ServiceID) { self.init("Service ID", service.identifier, service.settings) }

    private init?(_ kind: String, _ identifier: ClientID, _ settings: some DeclaredSettings) {
        guard let error = settings.error(by: .hostNames) else { return nil }
        let thing = "\(kind) \(identifier)"
        words = Message("console.refusals.production", ["thing": thing, "problem": error])
        self.identifier = identifier
    }
}

extension DeclaredSettings {
    /// The first error that the settings have by this policy.
    fileprivate func error(by policy: HostPolicy) -> LocalizedText? {
        do {
            _ = try Self(typed, policy: policy)
            return nil
        } catch { return error.all.first?.message }
    }
}
