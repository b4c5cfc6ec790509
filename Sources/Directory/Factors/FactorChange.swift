/// Change of the ways in which a user authenticates.
public enum FactorChange: Hashable, Sendable {
    case totpAdded
    case totpReplaced
    case totpRemoved
    case passkeyAdded(name: String)
    case passkeyRemoved(name: String)
    case recoveryCodesRenewed
    /// The team has removed all factors.
    case reset
    case appleConnected
    case appleDisconnected
}
