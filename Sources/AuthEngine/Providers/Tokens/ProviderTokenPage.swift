public import Bytes
public import Domain

/// What is looked for among tokens that a provider does not take back; nil means any.
public struct ProviderTokenFilter: Sendable {
    public var state: ProviderTokenSummary.State?
    public var problem: ProviderTokenProblem?
    public var subject: Subject?

    public init(
        state: ProviderTokenSummary.State? = nil,
        problem: ProviderTokenProblem? = nil,
        subject: Subject? = nil
    ) {
        self.state = state
        self.problem = problem
        self.subject = subject
    }
}

/// A page of them, those whose trouble is the newest first.
public struct ProviderTokenPage: Sendable {
    /// A place in the list: the token a page ended with.
    public struct Cursor: Sendable {
        public let problemAt: Timestamp
        public let id: ProviderTokenID

        public init(problemAt: Timestamp, id: ProviderTokenID) {
            self.problemAt = problemAt
            self.id = id
        }
    }

    public let tokens: [ProviderTokenSummary]
    /// How many there are in all, counted up to `ProviderTokenListStore.countLimit` and one.
    public let total: Int
    public let next: Cursor?
}
