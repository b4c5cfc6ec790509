import Audit
import Directory
import Domain
import HTTP
import Templates
import Web

/// The audit log of a team.
struct AuditPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let events: AuditStore
    private let users: UserStore
    private let page: LivePage<AuditPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        events = AuditStore(parts.database)
        users = UserStore(parts.database)
        page = try parts.site.pages.page(AuditPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.audit, needs: .read, at: .audit) { try await list($0) }
    }

    /// One more than a page holds is read, which tells whether there is another.
    private func list(_ scope: Scope) async throws -> Response {
        let trail = try PageTrail(ConsoleRoutes.audit.link(scope.teamID), try scope.request.parameters())
        let cursor = trail.current.map { AuditStore.Cursor(at: $0.at, id: $0.id) }
        let found = try await events.list(in: scope.teamID, before: cursor, limit: Self.pageSize + 1)
        let entries = Array(found.prefix(Self.pageSize))
        let names = try await AuditNames.read(for: entries, in: scope.teamID, users)
        let last = found.count > Self.pageSize ? entries.last : nil
        return site.respond(
            page,
            AuditPage(
                frame: scope.frame("Audit log"),
                rows: entries.map { AuditRow(entry: $0, names: names, team: scope.teamID) },
                paging: trail.paging(
                    last == nil ? "The log begins here" : "Newest first",
                    next: last.map { PageTrail.Cursor(at: $0.at, id: $0.id) }
                )
            )
        )
    }

    static var views: [any View.Type] { [AuditPage.self] }
}

/// Who did what, when, from where.
struct AuditPage: ConsolePage {
    static let template = "console/audit/index"
    static let fields =
        frameFields
        .list("rows", AuditRow.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    let frame: ConsoleFrame
    let rows: [AuditRow]
    let paging: PagingView
}
