/// A limit is exceeded: the request is answered 429, and what it asked for is not done.
public struct TooManyRequests: Error, Hashable, Sendable {
    public let limit: RateLimit
    /// Time until the window ends.
    public let wait: Duration

    public init(limit: RateLimit, wait: Duration) { (self.limit, self.wait) = (limit, wait) }

    /// The wait in whole seconds, for `Retry-After` (RFC 9110 section 10.2.3).
    public var retryAfter: Int { max(1, Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)) }
}
