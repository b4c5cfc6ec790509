import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// The audit log of a team.
struct AuditPages: Sendable {
    private let site: Site
    private let search: AuditSearchStore
    private let page: LivePage<AuditLogPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        search = AuditSearchStore(parts.database)
        page = try parts.site.pages.page(AuditLogPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.audit, needs: .read, at: .audit) { try await list($0) }
    }

    private func list(_ scope: Scope) async throws -> Response {
        let trail = try PageTrail(ConsoleRoutes.audit.link(scope.teamID), try scope.request.parameters())
        let cursor = trail.current.map { AuditEntry.Place(at: $0.at, id: $0.id) }
        let found = try await search.page(matching: AuditFilter(), in: scope.teamID, before: cursor)
        return site.respond(
            page,
            AuditLogPage(
                frame: scope.frame(Phrase("console.audit.title")),
                rows: found.entries.map { AuditRow(entry: $0, team: scope.teamID) },
                paging: trail.paging(
                    found.next == nil ? Phrase("console.audit.begins") : Phrase("console.audit.newest"),
                    next: found.next.map { PageTrail.Cursor(at: $0.at, id: $0.id) }
                )
            )
        )
    }

    static var views: [any View.Type] { [AuditLogPage.self] }
}

/// Who did what, when, from where.
struct AuditLogPage: ConsolePage {
    static let template = "console/audit/index"
    static let fields =
        frameFields
        .list("rows", AuditRow.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    let frame: ConsoleFrame
    let rows: [AuditRow]
    let paging: PagingView
}
