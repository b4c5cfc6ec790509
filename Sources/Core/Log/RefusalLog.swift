public import EventLoop

/// Rate-limited log lines about refusals and failures that any client on the network can cause.
///
/// The first lines of a minute are written for each event, team or route, and cause; for the rest, one line reports
/// their number. So a flood neither fills the disk nor hides the refusals of other teams. The inspector shows why each
/// request was refused; the log contains every line at level debug only.
// @unchecked Sendable: accessed on its loop's thread only.
public final class RefusalLog: @unchecked Sendable {
    /// Maximum number of lines of one kind in a minute.
    static let limit = 20
    /// Maximum number of kinds counted separately in a minute; further kinds are counted together.
    static let capacity = 1024
    private static let minute = Duration.seconds(60)

    private struct Kind: Hashable {
        let level: Log.Level
        let event: String
        var team: String?
        var route: String?
        /// Nil for the kinds that are counted together.
        var cause: String?
    }

    private let loop: EventLoop
    private let log: Log
    private var counts: [Kind: Int] = [:]
    /// Whether the end of the current minute is scheduled.
    private var isScheduled = false

    public init(loop: EventLoop, log: Log) {
        self.loop = loop
        self.log = log
    }

    /// Writes a line, unless the limit of its kind is reached in this minute.
    public func callAsFunction(
        _ level: Log.Level, _ event: StaticString, of team: String, for cause: String,
        _ members: (StaticString, String?)...
    ) {
        let kind = Kind(level: level, event: event.description, team: team, cause: cause)
        write(level, event, kind, members)
    }

    /// Writes a line about a request without an existing team; its kind is determined by its route.
    public func line(
        _ level: Log.Level, _ event: StaticString, at route: String, for cause: String,
        _ members: [(StaticString, String?)]
    ) {
        let kind = Kind(level: level, event: event.description, route: route, cause: cause)
        write(level, event, kind, members)
    }

    /// Kind of an error: its name without associated values, or else its words, at most 64 characters.
    public static func cause(of error: any Error) -> String {
        let mirror = Mirror(reflecting: error)
        if mirror.displayStyle == .enum, let name = mirror.children.first?.label { return name }
        return String("\(describing: error)".prefix { $0 != ":" }.prefix(64))
    }

    private func write(_ level: Log.Level, _ event: StaticString, _ kind: Kind, _ members: [(StaticString, String?)]) {
        guard level.rawValue >= log.threshold.rawValue else { return }
        log.line(isWritten(kind) ? level : .debug, event, members)
    }

    private func isWritten(_ own: Kind) -> Bool {
        schedule()
        let isTold = counts[own] != nil || counts.count < Self.capacity
        let kind = isTold ? own : Kind(level: own.level, event: own.event)
        counts[kind, default: 0] += 1
        return isTold && counts[kind, default: 0] <= Self.limit
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.schedule(after: Self.minute) { [weak self] in self?.flush() }
    }

    /// Ends the minute and logs how many lines were not written.
    public func flush() {
        isScheduled = false
        for (kind, count) in counts {
            let unwritten = kind.cause == nil ? count : count - Self.limit
            guard unwritten > 0 else { continue }
            log(
                // Same level as the lines themselves, so that a log that shows the first of them also shows the count.
                kind.level, "refusals.counted", ("of", kind.event), ("team", kind.team), ("route", kind.route),
                ("cause", kind.cause), ("count", String(unwritten)))
        }
        counts = [:]
    }
}
