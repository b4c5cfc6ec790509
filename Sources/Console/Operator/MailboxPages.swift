import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Pages of the emails that were stored because no mail server is configured.
struct MailboxPages: ConsolePages {
    let parts: Console.Parts

    private var mailbox: MailboxStore { MailboxStore(database, keyRing: server.keyRing) }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.mailbox, for: .operators) { try await list($0) }
        router.get(OperatorRoutes.mail, .storing, for: .operators) { try await show($0, $1) }
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let words = Message("console.operator.mailbox.search")
        let query = try ListQuery(
            context.request, at: OperatorRoutes.mailbox.link(), [.search(words, placeholder: words)])
        let page = try await mailbox.page(to: query.search, after: query.after, limit: ListQuery.pageSize)
        let names = try await teamNames.names(of: Set(page.items.map(\.team)))
        let view = ListView(
            title: Message("console.operator.mailbox.title"),
            about: server.sendsMail
                ? Message("console.operator.mailbox.about.server") : Message("console.operator.mailbox.about"),
            query: query,
            content: .rows(
                page.items.map { mail in
                    ListRow(
                        mail.subject, at: OperatorRoutes.mail.link(mail.id), notes: [.text(mail.recipient.rawValue)],
                        end: [.text(names[mail.team] ?? ""), .text(mail.at)], hasArrow: false)
                }),
            paging: query.paging(
                page.summary(
                    { Message("console.operator.mailbox.found", count: $0) },
                    more: { Message("console.operator.mailbox.found-more", count: $0) }), next: page.next),
            none: .init(
                "info", Message("console.operator.mailbox.none"), Message("console.operator.mailbox.none.advice")),
            unmatched: .unmatched(
                Message("console.operator.mailbox.none-matches", ["query": query.search]),
                Message("console.operator.mailbox.none-matches.advice"),
                all: Message("console.operator.mailbox.show-all"), query))
        return site.respond(OperatorListPage(context, at: .mailbox, view))
    }

    /// Shows an email and records the access in the audit log.
    ///
    /// Recorded because an email contains a secret: its link works for the first browser that opens it.
    private func show(_ context: AccountContext, _ id: JobID) async throws -> Response {
        let mail = try await mailbox.find(id).orNotFound()
        let event = AuditEvent(
            "mail.read", by: context.actor, on: AuditEvent.Target("mail", id.rawValue), from: context.origin,
            after: ["team": .string(mail.entry.team.rawValue), "message": .string(mail.entry.message)])
        try await AuditEventLogStore(database).record(event, in: .system)
        let view = MailboxMailPage(
            frame: OperatorFrame(context, mail.entry.subject, at: .mailbox), mail: mail,
            teamName: try await teamNames.names(of: [mail.entry.team])[mail.entry.team] ?? "")
        return site.respond(view)
    }

    static var views: [any View.Type] { [MailboxMailPage.self] }
}

/// A stored email as its recipient would see it.
struct MailboxMailPage: FramedPage {
    static let template = "console/operator/mailbox/show"
    static let fields = frameFields.with {
        $0.text("listURL") { _ in OperatorRoutes.mailbox.link() }
        $0.text("subject") { $0.mail.entry.subject }
        $0.group("recipient", CopyView.fields) { page in
            CopyView(Message("console.operator.mailbox.to"), page.mail.entry.recipient.rawValue)
        }
        $0.text("team") { $0.teamName }
        $0.words("message") { Message(in: "console.operator.messages", $0.mail.entry.message) }
        $0.group("time", TimeView.fields) { TimeView($0.mail.entry.at) }
        $0.optionalText("link") { $0.mail.body.link }
        $0.text("body") { $0.mail.body.text }
        $0.text("html") { $0.mail.body.html }
    }

    let frame: OperatorFrame
    let mail: MailboxMail
    let teamName: String
}
