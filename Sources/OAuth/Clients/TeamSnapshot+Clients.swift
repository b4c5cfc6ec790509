public import Platform

// The clients, for pages that list them or link to them.
extension TeamSnapshot {
    /// All clients, both Service IDs and App IDs, in the order of their identifiers.
    public var clientIDs: [ClientID] { (Array(services.keys) + Array(apps.keys)).sorted { $0.rawValue < $1.rawValue } }

    /// Whether the identifier is a Service ID of the team.
    public func isServiceID(_ id: ClientID) -> Bool { services[id] != nil }

    /// Whether an interaction may still return to its app: the app is enabled, and its return URL is still registered.
    ///
    /// The return URL of a test sign-in is not checked, because it expires by its own time.
    public func admits(_ interaction: Interaction) -> Bool {
        guard let app = interaction.app else { return true }
        guard let client = client(app.clientID), client.isEnabled else { return false }
        return app.testSignIn != nil || client.hasReturnURL(app.redirectURI)
    }

    /// Whether the team has an active key with this id.
    public func hasKey(_ id: KeyID) -> Bool { keys[id] != nil }
}
