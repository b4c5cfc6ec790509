import Audit
import Bytes
import Domain
import HTTP
import Jobs
import Localization
import Mail
import Templates
import Tenancy
import Web

/// Pages of the emails that were stored because no mail server is configured.
struct MailboxPages: Sendable {
    private static let pageSize = 50
    private static let longestSearch = 254

    private let site: Site
    private let mailbox: MailboxStore
    private let names: TeamNameStore
    private let log: AuditEventLogStore
    private let sendsMail: Bool
    private let listPage: LivePage<MailboxListPage>
    private let mailPage: LivePage<MailboxMailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        mailbox = MailboxStore(parts.database)
        names = TeamNameStore(parts.system)
        log = AuditEventLogStore(parts.database)
        sendsMail = parts.server.sendsMail
        listPage = try parts.site.pages.page(MailboxListPage.self)
        mailPage = try parts.site.pages.page(MailboxMailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.mailbox, for: .operators) { try await list($0) }
        router.get(OperatorRoutes.mail, for: .operators) { try await show($0, $1) }
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let query = try context.request.parameters()
        let search = (query["q"] ?? "").trimmed.withoutNUL.cut(toOctets: Self.longestSearch)
        let trail = try PageHistory(
            OperatorRoutes.mailbox.link(), query, filter: search.isEmpty ? [] : [(name: "q", value: search)])
        let cursor = trail.current.map { MailboxPage.Cursor(at: $0.at, id: $0.id) }
        let page = try await mailbox.page(to: search, after: cursor, limit: Self.pageSize)
        let names = try await names.names(of: Set(page.entries.map(\.team)))
        let next = page.next.map { PageHistory.Cursor(at: $0.at, id: $0.id) }
        let view = MailboxListPage(
            frame: OperatorFrame(context, Message("console.operator.mailbox.title"), at: .mailbox),
            query: search.isEmpty ? nil : search, sendsMail: sendsMail,
            rows: page.entries.map { .init(entry: $0, teamName: names[$0.team] ?? "") },
            paging: trail.paging(Self.count(page.total), next: next))
        return site.respond(listPage, view)
    }

    private static func count(_ total: Int) -> Message {
        total > MailboxStore.countLimit
            ? Message("console.operator.mailbox.found-more", count: MailboxStore.countLimit)
            : Message("console.operator.mailbox.found", count: total)
    }

    /// Shows an email and records the access in the audit log.
    ///
    /// Recorded because an email contains a secret: its link works for the first browser that opens it.
    private func show(_ context: AccountContext, _ id: JobID) async throws -> Response {
        guard let mail = try await mailbox.find(id) else { throw UserFacingError.notFound }
        let event = AuditEvent(
            "mail.read", by: context.actor, on: AuditEvent.Target("mail", id.rawValue), from: context.origin,
            after: ["team": .string(mail.entry.team.rawValue), "letter": .string(mail.entry.message)])
        try await log.record(event, in: .system)
        let view = MailboxMailPage(
            frame: OperatorFrame(context, mail.entry.subject, at: .mailbox), mail: mail,
            teamName: try await names.names(of: [mail.entry.team])[mail.entry.team] ?? "")
        return site.respond(mailPage, view)
    }

    static var views: [any View.Type] { [MailboxListPage.self, MailboxMailPage.self] }
}
