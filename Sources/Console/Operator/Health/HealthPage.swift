import Bytes
import Doctor
import Jobs
import Localization
import Operations
import Templates
import Web

/// State of the database, processes, job queue and schedules.
struct HealthPage: OperatorPage {
    static let template = "console/operator/health"
    static let fields = frameFields.with {
        $0.list("troubles", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.troubles }
        $0.text("databaseVersion") { $0.database.version }
        $0.text("databaseSize") { OctetCount.text($0.database.size) }
        $0.words("connections") { page in
            Message(
                "console.operator.health.connections",
                ["used": page.database.connections, "limit": page.database.connectionLimit])
        }
        $0.text("migration") { $0.database.migration }
        $0.group("clock", TimeView.fields) { TimeView($0.database.clock) }
        $0.list("processes", ProcessRow.fields) { $0.processes.map(ProcessRow.init) }
        $0.list("queue", QueueRow.fields) { $0.queue.map(QueueRow.init) }
        $0.list("schedules", ScheduleRow.fields) { page in
            page.schedules.map { ScheduleRow(schedule: $0, now: page.database.clock) }
        }
    }

    let frame: OperatorFrame
    let database: DatabaseStatus
    let processes: [ProcessStatus]
    let schedules: [RecurringJob]
    let queue: [JobStatistics]
    /// Watched documents of Apple; empty if they are not watched.
    let documents: [WatchedDocument]
    let hasStandIn: Bool

    /// Problems that need an operator.
    private var troubles: [LocalizedText] {
        var troubles: [Message] = []
        let dead = queue.reduce(0) { $0 + $1.dead }
        if dead > 0 { troubles.append(Message("console.operator.health.trouble.dead", count: dead)) }
        if let oldest = queue.compactMap(\.oldest).max(), oldest > .seconds(300) {
            troubles.append(Message("console.operator.health.trouble.late", count: Int(oldest.components.seconds / 60)))
        }
        for process in processes where !process.isAlive {
            troubles.append(Message("console.operator.health.trouble.silent", ["host": process.beat.host]))
        }
        for process in processes where process.isAlive && (process.clockSkew / .seconds(1)).magnitude > 5 {
            troubles.append(Message("console.operator.health.trouble.clock", ["host": process.beat.host]))
        }
        troubles += processes.filter(\.isAlive).flatMap(Self.shortages)
        if documents.contains(where: { $0.differsSince != nil }) {
            troubles.append(
                hasStandIn
                    ? Message("console.operator.health.trouble.stand-in")
                    : Message("console.operator.health.trouble.apple"))
        }
        for schedule in schedules where schedule.problem != nil {
            let title = JobMessages.name(ofKind: schedule.kind)
            troubles.append(
                Message("console.operator.health.trouble.schedule", ["name": schedule.kind, "title": title]))
        }
        return troubles.map(\.localizedText)
    }
    /// Warnings of a process that uses 90 percent or more of its connections or file descriptors.
    private static func shortages(of process: ProcessStatus) -> [Message] {
        let (host, counts) = (process.beat.host, process.beat.connections)
        func isScarce(_ used: Int, of limit: Int) -> Bool { limit > 0 && used >= limit - limit / 10 }
        var messages: [Message] = []
        if isScarce(counts.now, of: counts.limit) {
            messages.append(
                Message(
                    "console.operator.health.trouble.connections",
                    ["host": host, "now": counts.now, "limit": counts.limit]))
        }
        if isScarce(counts.descriptors, of: counts.descriptorLimit) {
            messages.append(
                Message(
                    "console.operator.health.trouble.descriptors",
                    ["host": host, "used": counts.descriptors, "limit": counts.descriptorLimit]))
        }
        return messages
    }
}
