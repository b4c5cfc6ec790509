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

    /// Whether an active key of that id signs for some App ID.
    public func hasKey(_ id: KeyID) -> Bool {
        keys[id] != nil
    }
}
