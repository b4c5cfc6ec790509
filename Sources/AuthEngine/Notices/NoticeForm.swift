public import Tenancy

/// How a notice is written and sent where that is not as the team has it: for who plays a server of less habit.
public struct NoticeForm: Sendable {
    /// The spelling of a deleted account.
    public var accountDeleteEvent: AccountDeleteEvent?
    /// How often it is sent once it can be.
    public var copies: Int

    public init(accountDeleteEvent: AccountDeleteEvent? = nil, copies: Int = 1) {
        self.accountDeleteEvent = accountDeleteEvent
        self.copies = copies
    }
}
