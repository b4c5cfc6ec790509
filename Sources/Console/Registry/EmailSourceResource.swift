import Core
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers of email sources: list, add, edit, check the DNS records, remove.
struct EmailSourceResource: ListedResource {
    let parts: Console.Parts

    let routes = RegistryRoutes.emailSources
    let section = Section.emailSources
    let right = Right.changeSettings

    static var views: [any View.Type] { [EmailSourcePage.self] }

    func mount(on router: inout ConsoleRouter) {
        mountList(on: &router)
        router.post(RegistryRoutes.emailSourceChecks, needs: right, at: section) { context, _, name in
            try await check(try await find(name, in: context.teamID).orNotFound(), context)
        }
    }

    private func check(_ source: RegisteredEmailSource, _ context: TeamContext) async throws -> Response {
        try await count(.probes, in: context.teamID)
        let checked = try await parts.checks.check(source, in: context.teamID).orNotFound()
        return context.redirect(
            to: routes.one.link(context.teamID, checked.key),
            saying: checked.state == .ok
                ? .good(Message("console.email-sources.flash.ok"))
                : .warn(Message("console.email-sources.flash.not-ok")))
    }

    func list(_ context: TeamContext) async throws -> ListView {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.email-sources.search"), placeholder: Message("console.email-sources.search.placeholder"))
        let query = try ListQuery(context.request, at: routes.list.link(team), [search])
        let sources = try await registry.emailSources.list(in: team)
        let (text, limit) = (query.search.folded, Quota.emailSources.count)
        let new =
            context.may(right) && sources.count < limit
            ? LinkView(Message("console.email-sources.new"), routes.new.link(team), isPrimary: true) : nil
        return ListView(
            title: Message("console.email-sources.title"), about: Message("console.email-sources.lead"), links: [new],
            note: Message("console.email-sources.relay"), query: query,
            content: .rows(
                sources.filter { text.isEmpty || $0.source.text.contains(text) }.map { source in
                    ListRow(
                        source.identity, at: routes.one.link(team, source.key),
                        end: [
                            source.checkedAt.map { .text(Message("console.email-sources.checked"), $0) },
                            .badge(source.state.badge),
                        ])
                }),
            paging: query.paging(
                Message("console.email-sources.count", ["limit": limit], count: sources.count), next: nil),
            none: .init(
                "mail", Message("console.email-sources.empty"), Message("console.email-sources.empty.about"), new),
            unmatched: .unmatched(
                Message("console.registry.search.none", ["query": query.search]),
                Message("console.email-sources.search.none.about"), all: Message("console.registry.search.all"), query))
    }

    func newPage(_ context: TeamContext, _ form: SettingsForm<RegisteredEmailSource>, _ problems: FieldErrors)
        async throws -> Response
    {
        let view = NewPage(
            context, Message("console.email-sources.new"), about: Message("console.email-sources.new.lead"),
            backTo: LinkView(Message("console.email-sources.title"), routes.list.link(context.teamID)),
            creating(
                context, form, problems, [form.identityInput("source", problems, site)] + form.inputs(problems, site)),
            button: Message("console.email-sources.add"))
        return context.site.respond(view, status: problems.status)
    }

    func show(_ source: RegisteredEmailSource, _ context: TeamContext, _ rejected: RejectedForm<RegisteredEmailSource>)
        async throws -> Response
    {
        let view = EmailSourcePage(
            frame: context.frame(source.identity), source: source,
            checkURL: context.may(right) ? RegistryRoutes.emailSourceChecks.link(context.teamID, source.key) : nil,
            editing: editing(source, context, rejected) { ($0.inputs($1, site), []) },
            danger: danger(
                source, context, rejected, summary: Message("console.email-sources.danger.summary"),
                button: Message("console.email-sources.danger.button")))
        return context.site.respond(view, status: rejected.status)
    }
}

// Access to the registry.
extension EmailSourceResource {
    func find(_ name: String, in team: TeamID) async throws -> RegisteredEmailSource? {
        try await registry.emailSources.find(name, in: team)
    }

    func create(_ form: SettingsForm<RegisteredEmailSource>, _ context: TeamContext, _ change: borrowing Change)
        async throws -> RegisteredEmailSource
    { try await registry.emailSources.create(try EmailSource.Draft(form["source"].trimmed, form.typed), change) }

    func update(
        _ source: RegisteredEmailSource, to typed: Typed, version: Int, _ context: TeamContext,
        _ change: borrowing Change
    ) async throws -> Update<RegisteredEmailSource> {
        let draft = try EmailSource.Draft(source.source.text, typed)
        return try await registry.emailSources.update(to: draft, version: version, change)
    }

    func delete(_ source: RegisteredEmailSource, reason: String, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Bool
    { try await registry.emailSources.delete(source.source, reason: reason, change) }

    /// Checks the records of a saved source immediately, so that its page shows their state.
    ///
    /// If the limit is exceeded, a background job checks the source within a minute.
    func didSave(_ source: RegisteredEmailSource, _ context: TeamContext) async throws {
        let probe = RateLimit.Use(.probes, by: .team)
        guard try await database.isWithin([probe], in: context.teamID, at: server.clock()) else { return }
        _ = try await parts.checks.check(source, in: context.teamID)
    }

    func deletedMessage(_ source: RegisteredEmailSource) -> Flash {
        .good(Message("console.email-sources.flash.removed", ["source": source.identity]))
    }
}

extension RegisteredEmailSource: DeclaredObject {
    static let identity = ["source"]
    static let words = SettingWords("console.email-sources")

    var key: String { source.text }
    var identity: String { source.text }
}

/// Page of one email source: each DNS record it needs, as found and as it should be.
struct EmailSourcePage: FramedPage {
    static let template = "console/email-sources/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.source.identity }
        $0.group("state", BadgeView.fields) { $0.source.state.badge }
        $0.optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.list("records", MailRecord.fields) { $0.source.records }
        $0.flag("hasSelectors") { !$0.source.settings.selectors.isEmpty }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let source: RegisteredEmailSource
    let checkURL: String?
    let editing: FormView?
    let danger: DangerView?
}

extension MailRecord.State {
    var badge: BadgeView { BadgeView(self, in: "console.email-sources.state", good: [.ok], bad: [.missing, .wrong]) }
}

extension MailRecord {
    fileprivate static let fields = Fields<MailRecord> {
        $0.text("id") { $0.name.replacing(".", with: "-") + "-\($0.kind.rawValue)" }
        $0.words("heading") { $0.heading }
        $0.group("state", BadgeView.fields) { $0.state.badge }
        $0.words("explanation") { $0.explanation }
        $0.group("place", CopyView.fields) { CopyView(Message("console.email-sources.record.name"), $0.name) }
        $0.list("seen", Fields<String> { $0.text("text") { $0 } }) { $0.seen }
        $0.optionalGroup("advice", CopyView.fields) { record in
            record.advice.map { CopyView(Message("console.email-sources.record.advice"), $0) }
        }
    }

    private var heading: Message {
        switch kind {
        case .spf: Message("console.email-sources.spf")
        case .dkim:
            Message(
                "console.email-sources.dkim",
                ["selector": String(name.split(separator: "._domainkey.", maxSplits: 1)[0])])
        }
    }

    private var explanation: Message {
        switch (kind, state) {
        case (.spf, .ok): Message("console.email-sources.spf.ok")
        case (.dkim, .ok): Message("console.email-sources.dkim.ok")
        case (.spf, .missing): Message("console.email-sources.spf.missing")
        case (.dkim, .missing): Message("console.email-sources.dkim.missing")
        case (_, .pending):
            fault == .notAnswered
                ? Message("console.email-sources.not-answered") : Message("console.email-sources.pending")
        case (_, .wrong): wrong
        }
    }

    private var wrong: Message {
        let detail = self.detail ?? ""
        return switch fault {
        case .several:
            kind == .spf ? Message("console.email-sources.spf.several") : Message("console.email-sources.dkim.several")
        case .syntax: Message("console.email-sources.syntax", ["part": detail])
        case .allowsEveryone: Message("console.email-sources.allows-everyone")
        case .version: Message("console.email-sources.version")
        case .keyType: Message("console.email-sources.key-type", ["type": detail])
        case .key: Message("console.email-sources.key")
        case .revoked: Message("console.email-sources.revoked")
        case .notAnswered, nil: Message("console.email-sources.not-answered")
        }
    }
}
