import Bytes
import Domain
import HTTP
import Jobs
import Localization
import Templates
import Tenancy
import Web

/// Pages of the jobs of all teams: list, details, retry and cancellation.
struct JobPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let list: JobListStore
    private let jobs: JobStore
    private let queue: JobQueue
    private let names: TeamNameStore
    private let listPage: LivePage<JobListPage>
    private let detailPage: LivePage<JobDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = JobListStore(parts.system)
        jobs = JobStore(parts.database)
        queue = parts.jobs
        names = TeamNameStore(parts.system)
        listPage = try parts.site.pages.page(JobListPage.self)
        detailPage = try parts.site.pages.page(JobDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.jobs, for: .operators) { try await list($0) }
        router.get(OperatorRoutes.job, for: .operators) { try await show($0, $1, $2) }
        router.post(OperatorRoutes.retry, for: .operators) { context, _, team, id in try await retry(context, team, id)
        }
        router.post(OperatorRoutes.cancellation, for: .operators) { try await cancel($0, $1, $2, $3) }
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let query = try context.request.parameters()
        let filter = JobFilter(query)
        let trail = try PageHistory(OperatorRoutes.jobs.link(), query, filter: filter.parameters)
        let cursor = trail.current.map { JobPage.Cursor(createdAt: $0.at, id: $0.id) }
        let page = filter.isImpossible ? nil : try await list.page(filter.filter, after: cursor, limit: Self.pageSize)
        let found = page?.jobs ?? []
        let names = try await names.names(of: Set(found.map(\.team)))
        let next = page?.next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.id) }
        let view = JobListPage(
            frame: OperatorFrame(context, Message("console.operator.jobs.title"), at: .jobs), filter: filter,
            rows: found.map { .init(job: $0, teamName: names[$0.team] ?? "") },
            paging: trail.paging(Self.count(page?.total ?? 0), next: next))
        return site.respond(listPage, view)
    }

    private static func count(_ total: Int) -> Message {
        total > JobListStore.countLimit
            ? Message("console.operator.jobs.found-more", count: JobListStore.countLimit)
            : Message("console.operator.jobs.found", count: total)
    }

    private func show(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> Response {
        site.respond(detailPage, try await page(context, team, id))
    }

    private func page(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> JobDetailPage {
        guard let job = try await jobs.find(id, in: team) else { throw UserFacingError.notFound }
        let name = try await names.names(of: [team])[team] ?? ""
        let frame = OperatorFrame(context, job.summary.kind, at: .jobs)
        return JobDetailPage(frame: frame, job: job, teamName: name)
    }

    private func retry(_ context: AccountContext, _ team: TeamID, _ id: JobID) async throws -> Response {
        guard try await jobs.find(id, in: team) != nil else { throw UserFacingError.notFound }
        let isDone = try await jobs.retry(id, in: team, by: context.actor, from: context.origin)
        if isDone { queue.ring() }
        let flash: Flash =
            isDone
            ? .good(Message("console.operator.jobs.retry.done")) : .warn(Message("console.operator.jobs.retry.late"))
        return context.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    /// Cancels a job if the confirmation is valid, else renders the form again with its errors.
    private func cancel(_ context: AccountContext, _ form: Form, _ team: TeamID, _ id: JobID) async throws -> Response {
        var page = try await page(context, team, id)
        let confirmation = Confirmation(form, expecting: page.job.summary.kind)
        let reason: String
        do throws(FormProblems) { reason = try confirmation.reason() } catch {
            page.confirmation = (confirmation, error)
            return site.respond(detailPage, page, status: error.status)
        }
        let isDone = try await jobs.cancel(id, in: team, because: reason, by: context.actor, from: context.origin)
        let flash: Flash =
            isDone
            ? .good(Message("console.operator.jobs.cancel.done")) : .warn(Message("console.operator.jobs.cancel.late"))
        return context.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    static var views: [any View.Type] { [JobListPage.self, JobDetailPage.self] }
}
