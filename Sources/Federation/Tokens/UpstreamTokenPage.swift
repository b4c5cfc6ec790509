public import Bytes
public import Domain

/// Filter for upstream tokens with a problem; nil matches any value.
public struct UpstreamTokenFilter: Sendable {
    public var state: UpstreamTokenSummary.State?
    public var problem: UpstreamTokenProblem?
    public var subject: Subject?

    public init(state: UpstreamTokenSummary.State? = nil, problem: UpstreamTokenProblem? = nil, subject: Subject? = nil)
    {
        self.state = state
        self.problem = problem
        self.subject = subject
    }
}

/// Page of upstream tokens, those with the newest problem first.
public struct UpstreamTokenPage: Sendable {
    /// Position in the list: the last token of a page.
    public struct Cursor: Sendable {
        public let problemAt: Timestamp
        public let id: UpstreamTokenID

        public init(problemAt: Timestamp, id: UpstreamTokenID) {
            self.problemAt = problemAt
            self.id = id
        }
    }

    public let tokens: [UpstreamTokenSummary]
    /// Number of matches, counted up to `UpstreamTokenListStore.countLimit` plus one.
    public let total: Int
    public let next: Cursor?
}
