import Bytes
import Doctor
import HTTP
import Jobs
import Localization
import Operations
import Postgres
import Templates
import Web

/// The health page of the installation.
struct HealthPages: Sendable {
    private let site: Site
    private let database: DatabaseStatusStore
    private let processes: ProcessStore
    private let schedules: RecurringJobStore
    private let jobs: JobListStore
    private let documents: WatchedDocumentStore
    private let isWatched: Bool
    private let hasStandIn: Bool
    private let page: LivePage<HealthPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        database = DatabaseStatusStore(parts.system)
        processes = ProcessStore(parts.system)
        schedules = RecurringJobStore(parts.database)
        jobs = JobListStore(parts.system)
        documents = WatchedDocumentStore(parts.database)
        isWatched = parts.watchesApple
        hasStandIn = parts.standIn != nil
        page = try parts.site.pages.page(HealthPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.health, for: .operators) { try await show($0) }
    }

    private func show(_ context: AccountContext) async throws -> Response {
        let model = HealthPage(
            frame: OperatorFrame(context, Message("console.operator.health.title"), at: .health),
            database: try await database.read(), processes: try await processes.list(),
            schedules: try await schedules.list(), queue: try await jobs.statistics(),
            documents: isWatched ? try await documents.list() : [], hasStandIn: hasStandIn)
        return site.respond(page, model)
    }

    static var views: [any View.Type] { [HealthPage.self] }
}
