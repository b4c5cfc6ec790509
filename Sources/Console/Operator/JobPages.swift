import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Pages of the jobs of all teams: list, details, retry and cancellation.
struct JobPages: ConsolePages {
    let parts: Console.Parts

    private var jobs: JobStore { JobStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.jobs, for: .operators) { try await list($0) }
        router.get(OperatorRoutes.job, for: .operators) { try await show($0, $1, $2) }
        router.post(OperatorRoutes.retry, for: .operators) { context, _, team, id in try await retry(context, team, id)
        }
        router.post(OperatorRoutes.cancellation, for: .operators) { try await cancel($0, $1, $2, $3) }
    }

    private static let filters: [ListFilter] = [
        .choice(
            "state", Message("console.operator.jobs.state"), any: Message("console.operator.jobs.state.any"),
            JobSummary.State.allCases.map { ($0.rawValue, $0.words) }),
        .text("kind", Message("console.operator.jobs.kind")), .text("team", Message("console.operator.jobs.team")),
    ]

    private func list(_ context: AccountContext) async throws -> Response {
        let query = try ListQuery(context.request, at: OperatorRoutes.jobs.link(), Self.filters)
        let team = query["team"].map { TeamID(rawValue: $0.uppercased()) }
        let filter = JobListStore.Filter(
            kind: query["kind"], state: query["state"].flatMap(JobSummary.State.init), team: team ?? nil)
        // No job is of a team whose id is none.
        let page =
            team == .some(nil)
            ? Page([], limit: 0, total: 0) { ListCursor($0.createdAt, $0.id.rawValue) }
            : try await JobListStore(parts.system).page(filter, after: query.after, limit: ListQuery.pageSize)
        let view = ListView(
            title: Message("console.operator.jobs.title"), about: Message("console.operator.jobs.about"), query: query,
            button: Message("console.operator.jobs.search"), content: .table(try await table(page.items)),
            paging: query.paging(
                page.summary(
                    { Message("console.operator.jobs.found", count: $0) },
                    more: { Message("console.operator.jobs.found-more", count: $0) }), next: page.next),
            none: .init(
                "circle-check", Message("console.operator.jobs.none"), Message("console.operator.jobs.none.advice")),
            unmatched: .unmatched(
                Message("console.operator.jobs.none-matches"), Message("console.operator.jobs.none-matches.advice"),
                all: Message("console.operator.jobs.show-all"), query))
        return site.respond(OperatorListPage(context, at: .jobs, view))
    }

    private func table(_ jobs: [JobSummary]) async throws -> ListTable {
        let names = try await teamNames.names(of: Set(jobs.map(\.team)))
        return ListTable(
            [
                .init(Message("console.operator.jobs.kind")), .init(Message("console.operator.jobs.state")),
                .init(Message("console.operator.jobs.team")),
                .init(Message("console.operator.jobs.attempts"), isWide: true),
                .init(Message("console.operator.jobs.created"), isWide: true),
                .init(Message("console.operator.jobs.next"), isWide: true),
            ],
            jobs.map { job in
                [
                    [
                        .link(JobMessages.name(ofKind: job.kind), OperatorRoutes.job.link(job.team, job.id)),
                        .code(job.kind).below(isWide: true),
                    ], [.badge(job.state.badge)], [.text(names[job.team] ?? ""), .code(job.team.rawValue).below()],
                    [.text(job.attempts)], [.text(job.createdAt)], [job.state == .waiting ? .text(job.dueAt) : nil],
                ]
            })
    }

    private func show(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> Response {
        site.respond(try await page(context, team, id))
    }

    private func page(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> JobDetailPage {
        let job = try await jobs.find(id, in: team).orNotFound()
        let name = try await teamNames.names(of: [team])[team] ?? ""
        let frame = OperatorFrame(context, job.summary.kind, at: .jobs)
        return JobDetailPage(frame: frame, job: job, teamName: name)
    }

    private func retry(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> Response {
        _ = try await jobs.find(id, in: team).orNotFound()
        let isDone = try await jobs.retry(id, in: team, by: context.actor, from: context.origin)
        if isDone { parts.jobs.ring() }
        let flash: Flash =
            isDone
            ? .good(Message("console.operator.jobs.retry.done")) : .warn(Message("console.operator.jobs.retry.late"))
        return context.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    /// Cancels a job if the confirmation is valid, else renders the form again with its errors.
    private func cancel(_ context: AccountContext, _ form: Form, _ team: TeamID, _ id: JobID) async throws -> Response {
        var page = try await page(context, team, id)
        let confirmation = Confirmation(form, expecting: page.job.summary.kind)
        guard let reason = confirmation.reason else {
            page.confirmation = confirmation
            return site.respond(page, status: confirmation.status)
        }
        let isDone = try await jobs.cancel(id, in: team, because: reason, by: context.actor, from: context.origin)
        let flash: Flash =
            isDone
            ? .good(Message("console.operator.jobs.cancel.done")) : .warn(Message("console.operator.jobs.cancel.late"))
        return context.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    static var views: [any View.Type] { [JobDetailPage.self] }
}

/// Display names of jobs, which have other names in the log.
enum JobMessages { static func name(ofKind kind: String) -> Message { Message(in: "console.operator.kinds", kind) } }

extension JobSummary.State {
    var words: Message { Message(in: "console.operator.jobs.state", rawValue) }

    var badge: BadgeView {
        BadgeView(self, in: "console.operator.jobs.state", good: [.succeeded], warn: [.running], bad: [.dead])
    }
}

/// A job with its payload, result and last problem.
struct JobDetailPage: FramedPage {
    static let template = "console/operator/jobs/show"
    static let fields = frameFields.with {
        $0.text("listURL") { _ in OperatorRoutes.jobs.link() }
        $0.words("name") { JobMessages.name(ofKind: $0.job.summary.kind) }
        $0.text("kind") { $0.job.summary.kind }
        $0.group("state", BadgeView.fields) { $0.job.summary.state.badge }
        $0.group("id", CopyView.fields) { page in
            CopyView(Message("console.operator.jobs.id"), page.job.summary.id.rawValue)
        }
        $0.text("teamName") { $0.teamName }
        $0.group("teamID", CopyView.fields) { page in
            CopyView(Message("console.operator.jobs.team"), page.job.summary.team.rawValue)
        }
        $0.integer("attempts") { $0.job.summary.attempts }
        $0.optionalText("problem") { $0.job.problem }
        $0.group("created", TimeView.fields) { TimeView($0.job.summary.createdAt) }
        $0.group("due", TimeView.fields) { TimeView($0.job.summary.dueAt) }
        $0.optionalGroup("finished", TimeView.fields) { $0.job.summary.finishedAt.map { TimeView($0) } }
        $0.flag("waiting") { $0.job.summary.state == .waiting }
        $0.text("payload") { JobDetailPage.text($0.job.payload) }
        $0.optionalText("result") { $0.job.result.map(JobDetailPage.text) }
        $0.errors { $0.confirmation?.problems.links ?? [] }
        $0.optionalText("retryURL") { $0.retryURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: OperatorFrame
    let job: JobDetail
    let teamName: String
    /// Rejected confirmation of a cancellation, with its errors.
    var confirmation: Confirmation?

    private var retryURL: String? {
        let summary = job.summary
        return [.waiting, .dead].contains(summary.state) ? OperatorRoutes.retry.link(summary.team, summary.id) : nil
    }

    private var danger: DangerView? {
        let summary = job.summary
        guard [.waiting, .running, .dead].contains(summary.state), summary.priority != .recurring else { return nil }
        return (confirmation ?? Confirmation(expecting: summary.kind)).view(
            action: OperatorRoutes.cancellation.link(summary.team, summary.id),
            summary: Message("console.operator.jobs.cancel.summary"),
            consequences: [
                Message("console.operator.jobs.cancel.undone"), Message("console.operator.jobs.cancel.running"),
            ], button: Message("console.operator.jobs.cancel.button"),
            hint: Message("console.operator.jobs.reason.hint"))
    }

    private static func text(_ value: JSONValue) -> String {
        String(decoding: JSON.encode(value, pretty: true), as: UTF8.self)
    }
}
