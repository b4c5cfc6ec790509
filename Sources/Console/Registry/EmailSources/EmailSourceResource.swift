import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Localization
import Postgres
import Registry
import Templates
import Web

/// Handlers of email sources: list, add, edit, check the DNS records, remove.
struct EmailSourceResource: ListedResource {
    private let registry: RegistryStores
    private let checks: RegistryChecks
    private let database: TeamDatabase
    private let clock: @Sendable () -> Timestamp
    private let list: LivePage<EmailSourceListPage>
    private let new: LivePage<NewEmailSourcePage>
    private let page: LivePage<EmailSourcePage>

    let routes = RegistryRoutes.emailSources
    let section = Section.emailSources
    let right = Right.changeSettings

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        checks = parts.checks
        database = parts.database
        clock = parts.server.clock
        list = try pages.page(EmailSourceListPage.self)
        new = try pages.page(NewEmailSourcePage.self)
        page = try pages.page(EmailSourcePage.self)
    }

    /// Mounts the route that checks a source immediately.
    func mountChecks(on router: inout ConsoleRouter) {
        router.post(RegistryRoutes.emailSourceChecks, needs: right, at: section) { context, _, name in
            guard let source = try await find(name, in: context.teamID) else { throw UserFacingError.notFound }
            return try await check(source, context)
        }
    }

    private var probe: [RateLimit.Use] { [RateLimit.Use(.probes, by: .team)] }

    private func check(_ source: RegisteredEmailSource, _ context: TeamContext) async throws -> Response {
        try await database.count(probe, in: context.teamID, at: clock())
        guard let checked = try await checks.check(source, in: context.teamID) else { throw UserFacingError.notFound }
        return context.redirect(
            to: routes.one.link(context.teamID, checked.key),
            saying: checked.state == .ok
                ? .good(Message("console.email-sources.flash.ok"))
                : .warn(Message("console.email-sources.flash.not-ok")))
    }

    func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let sources = try await registry.emailSources.list(in: team)
        let search = ((try? context.request.query())?["q"] ?? "").trimmed.lowercased()
        let found = search.isEmpty ? sources : sources.filter { $0.source.text.contains(search) }
        let view = EmailSourceListPage(
            frame: context.frame(Message("console.email-sources.title")), team: team,
            query: search.isEmpty ? nil : search, sources: found, total: sources.count,
            newURL: context.may(right) && sources.count < Quota.emailSources.count ? routes.new.link(team) : nil)
        return context.site.respond(list, view)
    }

    func emptyForm(_ context: TeamContext) -> EmailSourceForm { EmailSourceForm() }

    func newPage(_ context: TeamContext, _ form: EmailSourceForm, _ problems: FormProblems) async throws -> Response {
        let view = NewEmailSourcePage(
            frame: context.frame(Message("console.email-sources.new")), action: routes.list.link(context.teamID),
            checkURL: routes.check.link(context.teamID), form: form, problems: problems)
        return context.site.respond(new, view, status: problems.status)
    }

    func show(_ source: RegisteredEmailSource, _ context: TeamContext, _ unfinished: Unfinished<EmailSourceForm>)
        async throws -> Response
    { context.site.respond(page, view(source, context, unfinished), status: unfinished.status) }

    private func view(
        _ source: RegisteredEmailSource, _ context: TeamContext, _ unfinished: Unfinished<EmailSourceForm>
    ) -> EmailSourcePage {
        let mayChange = context.may(right)
        return EmailSourcePage(
            frame: context.frame(source.identity), source: source,
            checkURL: mayChange ? RegistryRoutes.emailSourceChecks.link(context.teamID, source.key) : nil,
            editing: mayChange
                ? EmailSourcePage.Editing(
                    action: routes.one.link(context.teamID, source.key),
                    checkURL: routes.checkOne.link(context.teamID, source.key),
                    version: unfinished.typed?.version ?? source.version,
                    form: unfinished.typed?.form ?? EmailSourceForm(source), problems: unfinished.settingProblems)
                : nil, danger: mayChange ? danger(source, unfinished, context.teamID) : nil)
    }

    private func danger(_ source: RegisteredEmailSource, _ unfinished: Unfinished<EmailSourceForm>, _ team: TeamID)
        -> DangerView
    {
        let typed = unfinished.confirmation ?? Confirmation(expecting: source.identity)
        return typed.view(
            action: routes.deletion.link(team, source.key), summary: Message("console.email-sources.danger.summary"),
            consequences: [], button: Message("console.email-sources.danger.button"), version: source.version,
            unfinished.confirmationProblems)
    }
}

// Access to the registry.
extension EmailSourceResource {
    func find(_ name: String, in team: TeamID) async throws -> RegisteredEmailSource? {
        try await registry.emailSources.find(name, in: team)
    }

    func create(_ form: EmailSourceForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws
        -> RegisteredEmailSource
    {
        try await registry.emailSources.create(
            try EmailSource.Draft(parsing: form.input()), in: context.teamID, by: context.actor, from: context.origin,
            transaction)
    }

    func update(
        _ source: RegisteredEmailSource, to form: EmailSourceForm, version: Int, _ context: TeamContext,
        _ transaction: borrowing Transaction
    ) async throws -> Update<RegisteredEmailSource> {
        try await registry.emailSources.update(
            to: try EmailSource.Draft(parsing: form.input(for: source.source)), version: version, in: context.teamID,
            by: context.actor, from: context.origin, transaction)
    }

    func delete(
        _ source: RegisteredEmailSource, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.emailSources.delete(
            source.source, reason: reason, in: context.teamID, by: context.actor, from: context.origin, transaction)
    }

    /// Checks the records of a saved source immediately, so that its page shows their state.
    ///
    /// If the limit is exceeded, a background job checks the source within a minute.
    func didSave(_ source: RegisteredEmailSource, _ context: TeamContext) async throws {
        guard try await database.isWithin(probe, in: context.teamID, at: clock()) else { return }
        _ = try await checks.check(source, in: context.teamID)
    }

    func deletedMessage(_ source: RegisteredEmailSource) -> Flash {
        .good(Message("console.email-sources.flash.removed", ["source": source.identity]))
    }
}

extension RegisteredEmailSource: RegisteredThing {
    var key: String { source.text }
    var identity: String { source.text }
}
