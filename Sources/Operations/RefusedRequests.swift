/// The requests of a process that were refused for now, since its start.
public struct RefusedRequests: Equatable, Sendable {
    /// Answered 429: somebody has used up a limit.
    public var tooMany: Int
    /// Answered 503: there was no room, no database, or no time.
    public var unavailable: Int

    public init(tooMany: Int = 0, unavailable: Int = 0) {
        (self.tooMany, self.unavailable) = (tooMany, unavailable)
    }
}
