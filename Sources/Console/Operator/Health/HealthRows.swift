import Bytes
import HTTP
import Jobs
import Localization
import Operations
import Templates
import Web

/// A server process of the installation.
struct ProcessRow: Sendable {
    let process: ProcessStatus

    static let fields = Fields<ProcessRow> {
        $0.text("host") { $0.process.beat.host }
        $0.text("pid") { String($0.process.beat.pid) }
        $0.text("version") { $0.process.beat.version }
        $0.group("state", BadgeView.fields) { row in
            row.process.isAlive
                ? BadgeView(.good, Message("console.operator.health.alive"))
                : BadgeView(.bad, Message("console.operator.health.silent"))
        }
        $0.group("seen", TimeView.fields) { TimeView($0.process.seenAt) }
        $0.group("started", TimeView.fields) { TimeView($0.process.beat.startedAt) }
        $0.integer("loops") { $0.process.beat.loops }
        $0.text("lag") { Milliseconds.text(.microseconds($0.process.beat.loopLag)) }
        $0.text("skew") { Milliseconds.text($0.process.clockSkew) }
        $0.text("memory") { OctetCount.text($0.process.beat.memory) }
        $0.integer("connections") { $0.process.beat.connections.now }
        $0.integer("connectionsPeak") { $0.process.beat.connections.peak }
        $0.integer("connectionLimit") { $0.process.beat.connections.limit }
        $0.integer("refused") { $0.process.beat.connections.refused }
        $0.integer("full") { $0.process.beat.connections.full }
        $0.integer("shortages") { $0.process.beat.connections.shortages }
        $0.text("delivery") { OctetCount.text($0.process.beat.connections.octetsInDelivery) }
        $0.integer("givenUp") { $0.process.beat.connections.answersGivenUp }
        $0.integer("descriptors") { $0.process.beat.connections.descriptors }
        $0.integer("descriptorLimit") { $0.process.beat.connections.descriptorLimit }
        $0.integer("succeeded") { $0.process.beat.jobsSucceeded }
        $0.integer("failed") { $0.process.beat.jobsFailed }
        $0.integer("dead") { $0.process.beat.jobsDead }
    }
}

/// Queue statistics of one kind of job.
struct QueueRow: Sendable {
    let statistics: JobStatistics

    static let fields = Fields<QueueRow> {
        $0.words("name") { JobMessages.name(ofKind: $0.statistics.kind) }
        $0.text("kind") { $0.statistics.kind }
        $0.text("url") { "\(OperatorRoutes.jobs.link())?kind=\(PercentCoding.encode($0.statistics.kind))" }
        $0.integer("due") { $0.statistics.due }
        $0.integer("later") { $0.statistics.later }
        $0.integer("running") { $0.statistics.running }
        $0.integer("dead") { $0.statistics.dead }
        $0.optionalWords("oldest") { $0.statistics.oldest.map { DurationText.length($0) } }
    }
}

/// A recurring job.
struct ScheduleRow: Sendable {
    let schedule: RecurringJob
    let now: Timestamp

    static let fields = Fields<ScheduleRow> {
        $0.words("title") { JobMessages.name(ofKind: $0.schedule.kind) }
        $0.text("name") { $0.schedule.kind }
        $0.words("interval") { DurationText.interval($0.schedule.interval) }
        $0.group("state", BadgeView.fields) { $0.state }
        $0.optionalGroup("last", TimeView.fields) { $0.schedule.ranAt.map { TimeView($0) } }
        $0.optionalText("took") { $0.schedule.milliseconds.map { "\($0) ms" } }
        $0.group("next", TimeView.fields) { TimeView($0.schedule.dueAt) }
        $0.optionalText("problem") { $0.schedule.problem }
    }

    private var state: BadgeView {
        if schedule.worker != nil { return BadgeView(.plain, Message("console.operator.health.running")) }
        if schedule.problem != nil { return BadgeView(.bad, Message("console.operator.health.failed")) }
        let isLate = now - schedule.dueAt > .seconds(60)
        return isLate
            ? BadgeView(.warn, Message("console.operator.health.late"))
            : BadgeView(.good, Message("console.operator.health.fine"))
    }
}

/// Text of a number of octets, such as `1.5 MiB`.
enum OctetCount {
    static func text(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(count), 0)
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        let tenths = (value * 10).rounded() / 10
        return value >= 100 || unit == 0 ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths) \(units[unit])"
    }
}

/// Text of a duration in milliseconds, such as `1.5 ms`.
enum Milliseconds {
    static func text(_ duration: Duration) -> String {
        let tenths = (duration / .microseconds(100)).rounded() / 10
        return "\(tenths) ms"
    }
}
