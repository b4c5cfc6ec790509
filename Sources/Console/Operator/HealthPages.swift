import Accounts
import Core
import Directory
import HTTP
import Platform
import SignIn
import Templates

/// The health page of the installation.
struct HealthPages: ConsolePages {
    /// How long an operator waits; a mail server may take longer to accept a mail.
    private static let testDeadline = Duration.seconds(20)

    let parts: Console.Parts

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.health, for: .operators) { context in
            try await show(context, TestMailForm(email: context.account.session.user.email?.shown ?? ""))
        }
        router.post(OperatorRoutes.testMail, for: .operators) { try await sendTestMail($0, $1) }
    }

    /// Sends a mail and waits for what the mail server says, which the page repeats.
    private func sendTestMail(_ context: AccountContext, _ form: Form) async throws -> Response {
        var test = TestMailForm(email: form["email"] ?? "")
        guard let recipient = test.recipient else { return try await show(context, test) }
        let message = EmailMessage.plain(
            subject: site.text(Message("console.operator.health.mail.subject")),
            paragraphs: [site.text(Message("console.operator.health.mail.text", ["url": server.publicURL]))])
        let mail = OutgoingMail(message, to: recipient, in: .english, from: "Pippin")
        do throws(DeliveryFailure) {
            guard try await parts.mail.sendNow(mail, within: Self.testDeadline) else {
                return context.redirect(to: OperatorRoutes.health.link())
            }
        } catch {
            test.errors.add("email", Message("console.operator.health.mail.failed", ["reason": error.words]))
            return try await show(context, test)
        }
        let event = AuditEvent(
            "mail.tested", by: context.actor, on: AuditEvent.Target("mail", "test"), from: context.origin)
        try await AuditEventLogStore(database).record(event, in: .system)
        return context.redirect(
            to: OperatorRoutes.health.link(),
            saying: .good(Message("console.operator.health.mail.sent", ["email": recipient.shown])))
    }

    private func show(_ context: AccountContext, _ test: TestMailForm) async throws -> Response {
        let route = parts.mail.route
        let model = HealthPage(
            frame: OperatorFrame(context, Message("console.operator.health.title"), at: .health),
            database: try await DatabaseStatusStore(parts.system).read(),
            processes: try await ProcessStore(parts.system).list(),
            schedules: try await RecurringJobStore(database).list(),
            queue: try await JobListStore(parts.system).statistics(),
            documents: parts.watchesApple ? try await documents.list() : [], hasSimulator: parts.simulator != nil,
            mail: route.server.map { HealthPage.Mail(server: $0.address, sender: route.sender.shown, test: test) })
        return site.respond(model, status: test.errors.status)
    }

    static var views: [any View.Type] { [HealthPage.self] }
}

/// State of the database, processes, job queue and schedules.
struct HealthPage: FramedPage {
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
        $0.list("processes", ProcessStatus.fields) { $0.processes }
        $0.table("queue") { $0.queueTable }
        $0.table("schedules") { $0.scheduleTable }
        $0.optionalGroup("mail", Mail.fields) { $0.mail }
    }

    let frame: OperatorFrame
    let database: DatabaseStatus
    let processes: [ProcessStatus]
    let schedules: [RecurringJob]
    let queue: [JobStatistics]
    /// Watched documents of Apple; empty if they are not watched.
    let documents: [WatchedDocument]
    let hasSimulator: Bool
    /// Nil if no mail server is configured.
    let mail: Mail?

    /// The mail server, and the form of a test mail.
    struct Mail: Sendable {
        let server: String
        let sender: String
        let test: TestMailForm

        static let fields = Fields<Mail> {
            $0.text("server") { $0.server }
            $0.text("sender") { $0.sender }
            $0.group("test", FormView.fields) { mail in
                FormView(
                    action: OperatorRoutes.testMail.link(), errors: mail.test.errors.links, inputs: mail.test.inputs)
            }
        }
    }

    /// Problems that need an operator.
    private var troubles: [LocalizedText] {
        var troubles: [Message] = []
        let dead = queue.reduce(0) { $0 + $1.dead }
        if dead > 0 { troubles.append(Message("console.operator.health.trouble.dead", count: dead)) }
        if let oldest = queue.compactMap(\.oldest).max(), oldest > .seconds(300) {
            troubles.append(Message("console.operator.health.trouble.late", count: Int(oldest.components.seconds / 60)))
        }
        if let waiting = queue.first(where: { $0.kind == "mail.send" })?.later, waiting > 0 {
            troubles.append(Message("console.operator.health.trouble.mail", count: waiting))
        }
        for process in processes where !process.isAlive {
            troubles.append(Message("console.operator.health.trouble.silent", ["host": process.beat.host]))
        }
        for process in processes where process.isAlive {
            for code in process.beat.conditions {
                guard let advice = ReadinessCode(rawValue: code)?.advice else { continue }
                troubles.append(
                    Message(
                        "console.operator.health.trouble.condition",
                        ["host": process.beat.host, "code": code, "advice": advice]))
            }
        }
        troubles += processes.filter(\.isAlive).flatMap(Self.shortages)
        if documents.contains(where: { $0.differsSince != nil }) {
            troubles.append(
                hasSimulator
                    ? Message("console.operator.health.trouble.simulator")
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
        return messages
    }
}

/// Form of a test mail: the address as entered, with errors.
struct TestMailForm: Sendable {
    let email: String
    var errors = FieldErrors()

    init(email: String) { self.email = email }

    /// Nil if the address is invalid, with its error in `errors`.
    var recipient: EmailAddress? {
        mutating get { errors.require(EmailAddress(typed: email), "email", Message("console.members.email.wrong")) }
    }

    var inputs: [Input] {
        [Input("email", Message("console.operator.health.mail.to"), email, as: .line("email"), errors: errors)]
    }
}

extension ProcessStatus {
    fileprivate static let fields = Fields<ProcessStatus> {
        $0.text("host") { $0.beat.host }
        $0.text("pid") { String($0.beat.pid) }
        $0.text("version") { $0.beat.version }
        $0.group("state", BadgeView.fields) { process in
            process.isAlive
                ? BadgeView(.good, Message("console.operator.health.alive"))
                : BadgeView(.bad, Message("console.operator.health.silent"))
        }
        $0.group("seen", TimeView.fields) { TimeView($0.seenAt) }
        $0.group("started", TimeView.fields) { TimeView($0.beat.startedAt) }
        $0.integer("loops") { $0.beat.loops }
        $0.text("lag") { Milliseconds.text(.microseconds($0.beat.loopLag)) }
        $0.text("skew") { Milliseconds.text($0.clockSkew) }
        $0.text("memory") { OctetCount.text($0.beat.memory) }
        $0.integer("connections") { $0.beat.connections.now }
        $0.integer("connectionsPeak") { $0.beat.connections.peak }
        $0.integer("connectionLimit") { $0.beat.connections.limit }
        $0.integer("refused") { $0.beat.connections.refused }
        $0.integer("full") { $0.beat.connections.full }
        $0.integer("shortages") { $0.beat.connections.shortages }
        $0.text("delivery") { OctetCount.text($0.beat.connections.octetsInDelivery) }
        $0.integer("givenUp") { $0.beat.connections.answersGivenUp }
        $0.integer("descriptors") { $0.beat.connections.descriptors }
        $0.integer("descriptorLimit") { $0.beat.connections.descriptorLimit }
        $0.integer("succeeded") { $0.beat.jobsSucceeded }
        $0.integer("failed") { $0.beat.jobsFailed }
        $0.integer("dead") { $0.beat.jobsDead }
    }
}

// Tables of the page.
extension HealthPage {
    private var queueTable: ListTable {
        ListTable(
            [
                .init(Message("console.operator.jobs.kind")), .init(Message("console.operator.health.due")),
                .init(Message("console.operator.health.later")), .init(Message("console.operator.health.running")),
                .init(Message("console.operator.health.dead")),
                .init(Message("console.operator.health.oldest"), isWide: true),
            ],
            queue.map { kind in
                let url = "\(OperatorRoutes.jobs.link())?kind=\(PercentCoding.encode(kind.kind))"
                return [
                    [.link(JobMessages.name(ofKind: kind.kind), url), .code(kind.kind).below(isWide: true)],
                    [.text(kind.due)], [.text(kind.later)], [.text(kind.running)], [.text(kind.dead)],
                    [kind.oldest.map { .text(DurationText.length($0)) }],
                ]
            })
    }

    private var scheduleTable: ListTable {
        ListTable(
            [
                .init(Message("console.operator.health.schedule")), .init(Message("console.operator.jobs.state")),
                .init(Message("console.operator.health.last")),
                .init(Message("console.operator.jobs.next"), isWide: true),
            ],
            schedules.map { schedule in
                let never = Message("console.operator.health.never")
                let took = schedule.milliseconds.map { Message("console.operator.health.took", ["took": "\($0) ms"]) }
                return [
                    [
                        .text(JobMessages.name(ofKind: schedule.kind)),
                        .text(DurationText.interval(schedule.interval)).below(isHint: true), .code(schedule.kind),
                        schedule.problem.map { .text($0).below(isHint: true) },
                    ], [.badge(state(of: schedule))],
                    [
                        .text(schedule.ranAt ?? never as any LocalizedTextConvertible),
                        took.map { .text($0).below(isHint: true) },
                    ], [.text(schedule.dueAt)],
                ]
            })
    }

    private func state(of schedule: RecurringJob) -> BadgeView {
        if schedule.worker != nil { return BadgeView(.plain, Message("console.operator.health.running")) }
        if schedule.problem != nil { return BadgeView(.bad, Message("console.operator.health.failed")) }
        let isLate = database.clock - schedule.dueAt > .seconds(60)
        return isLate
            ? BadgeView(.warn, Message("console.operator.health.late"))
            : BadgeView(.good, Message("console.operator.health.fine"))
    }
}

/// Text of a number of octets, such as `1.5 MiB`.
private enum OctetCount {
    static func text(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(count), 0)
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        let tenths = (value * 10).rounded() / 10
        return value >= 100 || unit == 0 ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths) \(units[unit])"
    }
}

/// Text of a duration in milliseconds, such as `1.5 ms`.
private enum Milliseconds {
    static func text(_ duration: Duration) -> String {
        let tenths = (duration / .microseconds(100)).rounded() / 10
        return "\(tenths) ms"
    }
}

/// Localized text of a duration in seconds, minutes, hours or days.
private enum DurationText {
    private enum Unit { case seconds, minutes, hours, days }

    /// Length such as `3 minutes`, rounded down in the largest unit that it fills.
    static func length(_ duration: Duration) -> Message {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: false) {
        case .seconds: return Message("console.operator.spans.seconds", count: seconds)
        case .minutes: return Message("console.operator.spans.minutes", count: seconds / 60)
        case .hours: return Message("console.operator.spans.hours", count: seconds / 3600)
        case .days: return Message("console.operator.spans.days", count: seconds / 86_400)
        }
    }

    /// Interval such as `every 6 hours`, in the largest unit that divides it exactly.
    static func interval(_ duration: Duration) -> Message {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: true) {
        case .seconds: return Message("console.operator.spans.every.seconds", count: seconds)
        case .minutes: return Message("console.operator.spans.every.minutes", count: seconds / 60)
        case .hours: return Message("console.operator.spans.every.hours", count: seconds / 3600)
        case .days: return Message("console.operator.spans.every.days", count: seconds / 86_400)
        }
    }

    private static func unit(of seconds: Int, mustDivide: Bool) -> Unit {
        func fits(_ size: Int) -> Bool { seconds >= size && (!mustDivide || seconds.isMultiple(of: size)) }
        if fits(86_400) { return .days }
        if fits(3600) { return .hours }
        return fits(60) ? .minutes : .seconds
    }
}
