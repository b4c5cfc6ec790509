public import Registry

/// Deviations from a team's usual notifications, used to simulate a server that behaves differently.
public struct NotificationFormat: Sendable {
    /// Spelling of the account deletion event; nil for the team's.
    public var accountDeleteEvent: AccountDeleteEvent?
    /// Number of copies sent.
    public var copies: Int

    public init(accountDeleteEvent: AccountDeleteEvent? = nil, copies: Int = 1) {
        self.accountDeleteEvent = accountDeleteEvent
        self.copies = copies
    }
}
