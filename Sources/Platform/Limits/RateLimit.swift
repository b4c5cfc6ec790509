import Core

/// A limit on how often something may happen within a window, counted for each key by all processes together.
///
/// Which limits there are stands in `RateLimit+Table.swift`, each under a name of its own.
public struct RateLimit: Hashable, Sendable {
    /// Kind of key that a limit counts by.
    public enum Scope: String, Sendable {
        case network
        case account
        case session
        case signIn = "sign-in"
        case client
        case recipient
        case host
        case team
        case cause
    }

    /// Name in the database, in metrics and in the options of `serve`.
    public let name: String
    /// What it limits, in a few words for operators.
    public let subject: String
    public let scopes: [Scope]
    /// Most uses within a window, unless an option of `serve` sets another number.
    public let count: Int
    public let window: Duration
    /// Whether operators may set another number.
    public let isAdjustable: Bool

    init(
        _ name: String, _ subject: String, _ count: Int, per window: Duration, by scopes: Scope...,
        isAdjustable: Bool = false
    ) {
        self.name = name
        self.subject = subject
        self.scopes = scopes
        self.count = count
        self.window = window
        self.isAdjustable = isAdjustable
    }

    public static func == (left: RateLimit, right: RateLimit) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Latest end of a window in which something counted at `now`, by clocks that differ by a minute.
    func latestEnd(at now: Timestamp) -> Timestamp { now + window + .minutes(1) }

    /// One or more uses of a limit under a key.
    public struct Use: Hashable, Sendable {
        public let limit: RateLimit
        let key: LimitKey
        let amount: Int

        public init(_ limit: RateLimit, by key: LimitKey, _ amount: Int = 1) {
            self.limit = limit
            self.key = key
            // Far beyond any limit, so that no count overflows.
            self.amount = min(amount, Self.most)
        }

        /// All uses of the limit in the current window, to be released.
        public static func all(of limit: RateLimit, by key: LimitKey) -> Use { Use(limit, by: key, most) }

        static let most = 1_000_000

        /// Uses by one mail: of its recipient, its sender and its team.
        public static func mail(to recipient: LimitKey, by sender: LimitKey) -> [Use] {
            [Use(.mailBySender, by: sender), Use(.mailToRecipient, by: recipient), Use(.mailOfTeam, by: .team)]
        }

        /// Key of the row in the table of limits.
        var row: String { "\(limit.name).\(key.stored)" }
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}
