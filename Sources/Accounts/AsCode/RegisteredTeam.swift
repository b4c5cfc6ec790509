import Registry

/// The registry of a team as it is stored.
struct RegisteredTeam: Sendable {
    var appIDs: [AppID] = []
    var serviceIDs: [ServiceID] = []
    /// Including revoked keys, because their ids are not used again.
    var keys: [Key] = []
    /// Apple keys, and the connections that use them.
    var appleKeys: [AppleKey] = []
    var appleConnections: [AppleConnection] = []
    var emailSources: [EmailSource.Draft] = []
}
