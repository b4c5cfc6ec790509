import Bytes
import Domain
import HTTP
import Jobs
import Templates
import Tenancy
import Web

/// The jobs of all teams: found, looked at, tried again, given up.
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
        router.post(OperatorRoutes.retry, for: .operators) { visit, _, team, id in
            try await retry(visit, team, id)
        }
        router.post(OperatorRoutes.cancellation, for: .operators) { try await cancel($0, $1, $2, $3) }
    }

    private func list(_ visit: Visit) async throws -> Response {
        let query = try visit.request.parameters()
        let filter = JobFilter(query)
        let trail = try PageTrail(OperatorRoutes.jobs.link(), query, filter: filter.parameters)
        let cursor = trail.current.map { JobPage.Cursor(createdAt: $0.at, id: $0.id) }
        let page =
            filter.isImpossible
            ? nil : try await list.page(filter.filter, after: cursor, limit: Self.pageSize)
        let found = page?.jobs ?? []
        let names = try await names.names(of: Set(found.map(\.team)))
        let next = page?.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.id) }
        let view = JobListPage(
            frame: OperatorFrame(visit, Phrase("console.operator.jobs.title"), at: .jobs),
            filter: filter,
            rows: found.map { .init(job: $0, teamName: names[$0.team] ?? "") },
            paging: trail.paging(Self.count(page?.total ?? 0), next: next)
        )
        return site.respond(listPage, view)
    }

    private static func count(_ total: Int) -> Phrase {
        total > JobListStore.countLimit
            ? Phrase("console.operator.jobs.found-more", count: JobListStore.countLimit)
            : Phrase("console.operator.jobs.found", count: total)
    }

    private func show(_ visit: Visit, _ team: TeamID, _ id: JobID) async throws -> Response {
        site.respond(detailPage, try await page(visit, team, id))
    }

    private func page(_ visit: Visit, _ team: TeamID, _ id: JobID) async throws -> JobDetailPage {
        guard let job = try await jobs.find(id, in: team) else { throw Problem.notFound }
        let name = try await names.names(of: [team])[team] ?? ""
        let frame = OperatorFrame(visit, job.summary.kind, at: .jobs)
        return JobDetailPage(frame: frame, job: job, teamName: name)
    }

    private func retry(_ visit: Visit, _ team: TeamID, _ id: JobID) async throws -> Response {
        guard try await jobs.find(id, in: team) != nil else { throw Problem.notFound }
        let isDone = try await jobs.retry(id, in: team, by: visit.actor, from: visit.origin)
        if isDone { queue.ring() }
        let flash: Flash =
            isDone
            ? .good(Phrase("console.operator.jobs.retry.done"))
            : .warn(Phrase("console.operator.jobs.retry.late"))
        return visit.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    /// Asks for the typed confirmation again where it does not fit; nothing happens without it.
    private func cancel(_ visit: Visit, _ form: Form, _ team: TeamID, _ id: JobID) async throws -> Response {
        var page = try await page(visit, team, id)
        let confirmation = Confirmation(form, expecting: page.job.summary.kind)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            page.confirmation = (confirmation, error)
            return site.respond(detailPage, page, status: error.status)
        }
        let isDone = try await jobs.cancel(id, in: team, because: reason, by: visit.actor, from: visit.origin)
        let flash: Flash =
            isDone
            ? .good(Phrase("console.operator.jobs.cancel.done"))
            : .warn(Phrase("console.operator.jobs.cancel.late"))
        return visit.redirect(to: OperatorRoutes.job.link(team, id), saying: flash)
    }

    static var views: [any View.Type] { [JobListPage.self, JobDetailPage.self] }
}
