/// Requests that a process temporarily refused since its start.
public struct RefusedRequests: Equatable, Sendable {
    /// Answered 429: the client has used up a limit.
    public var tooMany: Int
    /// Answered 503: no capacity, no database, or no time was left.
    public var unavailable: Int

    public init(tooMany: Int = 0, unavailable: Int = 0) { (self.tooMany, self.unavailable) = (tooMany, unavailable) }
}
