public import EventLoop

/// Lines of the log about refusals and failures that anybody on the network can cause.
///
/// The first of a minute are written, by event, team or route, and cause; of the others one line says how many there were.
/// So a flood fills no disk, and hides no other team's refusals. What each request was refused for is the inspector's to
/// tell; the log has every line at level debug alone.
// @unchecked Sendable: touched on its loop's thread alone.
public final class RefusalLog: @unchecked Sendable {
    /// Lines that are written of each kind in a minute.
    static let limit = 20
    /// Kinds that are told apart in a minute; those beyond it are counted together.
    static let capacity = 1024
    private static let minute = Duration.seconds(60)

    private struct Kind: Hashable {
        let level: Log.Level
        let event: String
        var team: String?
        var route: String?
        /// Nil for those that are counted together.
        var cause: String?
    }

    private let loop: EventLoop
    private let log: Log
    private var counts: [Kind: Int] = [:]
    /// Whether the end of this minute is awaited.
    private var isScheduled = false

    public init(loop: EventLoop, log: Log) {
        self.loop = loop
        self.log = log
    }

    /// Writes a line, unless enough of its kind were written in this minute.
    public func callAsFunction(
        _ level: Log.Level,
        _ event: StaticString,
        of team: String,
        for cause: String,
        _ members: (StaticString, String?)...
    ) {
        let kind = Kind(level: level, event: event.description, team: team, cause: cause)
        write(level, event, kind, members)
    }

    /// Writes a line about a request of which no team is known to exist; its kind is that of its route.
    public func line(
        _ level: Log.Level,
        _ event: StaticString,
        at route: String,
        for cause: String,
        _ members: [(StaticString, String?)]
    ) {
        let kind = Kind(level: level, event: event.description, route: route, cause: cause)
        write(level, event, kind, members)
    }

    /// What kind of failure an error is: its name, without what changes from one to the next.
    public static func cause(of error: any Error) -> String {
        String("\(error)".prefix { $0 != "(" }.prefix(64))
    }

    private func write(
        _ level: Log.Level,
        _ event: StaticString,
        _ kind: Kind,
        _ members: [(StaticString, String?)]
    ) {
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
        loop.schedule(after: Self.minute) { [weak self] in self?.tell() }
    }

    /// Ends the minute: says how many were not written.
    public func tell() {
        isScheduled = false
        for (kind, count) in counts {
            let unwritten = kind.cause == nil ? count : count - Self.limit
            guard unwritten > 0 else { continue }
            log(
                // Whoever sees the first of them sees how many there were.
                kind.level,
                "refusals.counted",
                ("of", kind.event),
                ("team", kind.team),
                ("route", kind.route),
                ("cause", kind.cause),
                ("count", String(unwritten))
            )
        }
        counts = [:]
    }
}
