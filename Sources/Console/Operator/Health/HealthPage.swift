import Bytes
import Doctor
import Jobs
import Operations
import Templates
import Web

/// Database, processes, queue and schedules on one page.
struct HealthPage: OperatorPage {
    static let template = "console/operator/health"
    static let fields =
        frameFields
        .list("troubles", Fields<Words>().words("text") { $0 }) { $0.troubles }
        .text("databaseVersion") { $0.database.version }
        .text("databaseSize") { OctetCount.text($0.database.size) }
        .words("connections") { page in
            Phrase(
                "console.operator.health.connections",
                ["used": page.database.connections, "limit": page.database.connectionLimit]
            )
        }
        .text("migration") { $0.database.migration }
        .group("clock", TimeView.fields) { TimeView($0.database.clock) }
        .list("processes", ProcessRow.fields) { $0.processes.map(ProcessRow.init) }
        .list("queue", QueueRow.fields) { $0.queue.map(QueueRow.init) }
        .list("schedules", ScheduleRow.fields) { page in
            page.schedules.map { ScheduleRow(schedule: $0, now: page.database.clock) }
        }

    let frame: OperatorFrame
    let database: DatabaseStatus
    let processes: [ProcessStatus]
    let schedules: [ScheduleStatus]
    let queue: [JobStatistics]
    /// What Apple publishes of itself.
    let documents: [WatchedDocument]
    let hasStandIn: Bool

    /// What an operator should look at.
    private var troubles: [Words] {
        var troubles: [Phrase] = []
        let dead = queue.reduce(0) { $0 + $1.dead }
        if dead > 0 { troubles.append(Phrase("console.operator.health.trouble.dead", count: dead)) }
        if let oldest = queue.compactMap(\.oldest).max(), oldest > .seconds(300) {
            troubles.append(
                Phrase("console.operator.health.trouble.late", count: Int(oldest.components.seconds / 60))
            )
        }
        for process in processes where !process.isAlive {
            troubles.append(Phrase("console.operator.health.trouble.silent", ["host": process.beat.host]))
        }
        for process in processes where process.isAlive && (process.clockSkew / .seconds(1)).magnitude > 5 {
            troubles.append(Phrase("console.operator.health.trouble.clock", ["host": process.beat.host]))
        }
        troubles += processes.filter(\.isAlive).flatMap(Self.shortages)
        if documents.contains(where: { $0.differsSince != nil }) {
            troubles.append(
                hasStandIn
                    ? Phrase("console.operator.health.trouble.stand-in")
                    : Phrase("console.operator.health.trouble.apple")
            )
        }
        for schedule in schedules where schedule.problem != nil {
            let title = JobWords.name(ofSchedule: schedule.name)
            troubles.append(
                Phrase(
                    "console.operator.health.trouble.schedule",
                    ["name": schedule.name, "title": title]
                )
            )
        }
        return troubles.map(\.asWords)
    }
    /// What a process is about to run out of.
    private static func shortages(of process: ProcessStatus) -> [Phrase] {
        let (host, counts) = (process.beat.host, process.beat.connections)
        func isScarce(_ used: Int, of limit: Int) -> Bool { limit > 0 && used >= limit - limit / 10 }
        var phrases: [Phrase] = []
        if isScarce(counts.now, of: counts.limit) {
            phrases.append(
                Phrase(
                    "console.operator.health.trouble.connections",
                    ["host": host, "now": counts.now, "limit": counts.limit]
                )
            )
        }
        if isScarce(counts.descriptors, of: counts.descriptorLimit) {
            phrases.append(
                Phrase(
                    "console.operator.health.trouble.descriptors",
                    ["host": host, "used": counts.descriptors, "limit": counts.descriptorLimit]
                )
            )
        }
        return phrases
    }
}
