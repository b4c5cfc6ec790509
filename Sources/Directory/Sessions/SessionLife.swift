/// Lifetime of a session.
public struct SessionLife: Sendable {
    /// From its beginning, however much it is used.
    public let absolute: Duration
    /// From its last use.
    public let idle: Duration

    public init(absolute: Duration, idle: Duration) {
        self.absolute = absolute
        self.idle = idle
    }

    /// Lifetime at a team's hosted pages: 30 days, 7 of them without use.
    public static let hosted = SessionLife(absolute: .days(30), idle: .days(7))
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
