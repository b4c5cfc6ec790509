public import Domain

// The clients, for pages that list them or link to them.
extension TeamSnapshot {
    /// Every client, Service IDs and App IDs alike, in the order of their identifiers.
    public var clientIDs: [ClientID] {
        (Array(services.keys) + Array(apps.keys)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether that identifier is a Service ID; an App ID, or nobody's, is none.
    public func isServiceID(_ id: ClientID) -> Bool {
        services[id] != nil
    }

    /// Whether a sign-in under way may still lead where it was to: its app is switched on, and has that return URL yet.
    ///
    /// A trial ends by its own clock.
    public func admits(_ attempt: Attempt) -> Bool {
        guard let app = attempt.app else { return true }
        guard let client = client(app.clientID), client.isEnabled else { return false }
        return app.trial != nil || client.hasReturnURL(app.redirectURI)
    }

    /// Whether an active key of that id signs for some App ID.
    public func hasKey(_ id: KeyID) -> Bool {
        keys[id] != nil
    }
}
