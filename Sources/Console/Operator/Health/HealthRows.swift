import Bytes
import HTTP
import Jobs
import Operations
import Templates
import Web

/// A process of the installation.
struct ProcessRow: Sendable {
    let process: ProcessStatus

    static let fields = Fields<ProcessRow>()
        .text("host") { $0.process.beat.host }
        .text("pid") { String($0.process.beat.pid) }
        .text("version") { $0.process.beat.version }
        .group("state", BadgeView.fields) { row in
            row.process.isAlive
                ? BadgeView(.good, Phrase("console.operator.health.alive"))
                : BadgeView(.bad, Phrase("console.operator.health.silent"))
        }
        .group("seen", TimeView.fields) { TimeView($0.process.seenAt) }
        .group("started", TimeView.fields) { TimeView($0.process.beat.startedAt) }
        .integer("loops") { $0.process.beat.loops }
        .text("lag") { Milliseconds.text($0.process.beat.loopLag) }
        .text("skew") { Milliseconds.text($0.process.clockSkew) }
        .text("memory") { OctetCount.text($0.process.beat.memory) }
        .integer("connections") { $0.process.beat.connections.now }
        .integer("connectionsPeak") { $0.process.beat.connections.peak }
        .integer("connectionLimit") { $0.process.beat.connections.limit }
        .integer("refused") { $0.process.beat.connections.refused }
        .integer("displaced") { $0.process.beat.connections.displaced }
        .integer("shortages") { $0.process.beat.connections.shortages }
        .text("delivery") { OctetCount.text($0.process.beat.connections.octetsInDelivery) }
        .integer("givenUp") { $0.process.beat.connections.answersGivenUp }
        .integer("descriptors") { $0.process.beat.connections.descriptors }
        .integer("descriptorLimit") { $0.process.beat.connections.descriptorLimit }
        .integer("succeeded") { $0.process.beat.jobsSucceeded }
        .integer("failed") { $0.process.beat.jobsFailed }
        .integer("dead") { $0.process.beat.jobsDead }
}

/// The jobs of one kind.
struct QueueRow: Sendable {
    let statistics: JobStatistics

    static let fields = Fields<QueueRow>()
        .words("name") { JobWords.name(ofKind: $0.statistics.kind) }
        .text("kind") { $0.statistics.kind }
        .text("url") { "\(OperatorRoutes.jobs.link())?kind=\(PercentCoding.encode($0.statistics.kind))" }
        .integer("due") { $0.statistics.due }
        .integer("later") { $0.statistics.later }
        .integer("running") { $0.statistics.running }
        .integer("dead") { $0.statistics.dead }
        .optionalWords("oldest") { $0.statistics.oldest.map { SpanWords.length($0) } }
}

/// Something that is done now and then.
struct ScheduleRow: Sendable {
    let schedule: ScheduleStatus
    let now: Timestamp

    static let fields = Fields<ScheduleRow>()
        .words("title") { JobWords.name(ofSchedule: $0.schedule.name) }
        .text("name") { $0.schedule.name }
        .words("interval") { SpanWords.interval($0.schedule.interval) }
        .group("state", BadgeView.fields) { $0.state }
        .optionalGroup("last", TimeView.fields) { $0.schedule.finishedAt.map { TimeView($0) } }
        .optionalText("took") { $0.schedule.milliseconds.map { "\($0) ms" } }
        .group("next", TimeView.fields) { TimeView($0.schedule.dueAt) }
        .optionalText("problem") { $0.schedule.problem }

    private var state: BadgeView {
        if schedule.worker != nil { return BadgeView(.plain, Phrase("console.operator.health.running")) }
        if schedule.problem != nil { return BadgeView(.bad, Phrase("console.operator.health.failed")) }
        let isLate = now - schedule.dueAt > .seconds(60)
        return isLate
            ? BadgeView(.warn, Phrase("console.operator.health.late"))
            : BadgeView(.good, Phrase("console.operator.health.fine"))
    }
}

/// A number of octets for people.
enum OctetCount {
    static func text(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(count), 0)
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        let tenths = (value * 10).rounded() / 10
        return value >= 100 || unit == 0
            ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths) \(units[unit])"
    }
}

/// A duration in milliseconds for people.
enum Milliseconds {
    static func text(_ duration: Duration) -> String {
        let tenths = (duration / .microseconds(100)).rounded() / 10
        return "\(tenths) ms"
    }
}
