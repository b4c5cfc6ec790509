import AuthEngine
import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Postgres
import Registry
import Templates
import Web

/// E-mail sources: list, add, the records of each, remove.
struct EmailSources: ListedResource {
    private let registry: RegistryStores
    private let checks: RegistryChecks
    private let limit: RegistryCheckLimit
    private let clock: @Sendable () -> Timestamp
    private let list: LivePage<EmailSourceListPage>
    private let new: LivePage<NewEmailSourcePage>
    private let page: LivePage<EmailSourcePage>

    let routes = RegistryRoutes.emailSources
    let section = Section.emailSources
    let right = Right.changeSettings

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        checks = parts.checks
        limit = RegistryCheckLimit(LimitStore(parts.database))
        clock = parts.context.clock
        list = try pages.page(EmailSourceListPage.self)
        new = try pages.page(NewEmailSourcePage.self)
        page = try pages.page(EmailSourcePage.self)
    }

    /// Beside what every kind has: another check at once.
    func mountChecks(on router: inout ConsoleRouter) {
        router.post(RegistryRoutes.emailSourceChecks, needs: right, at: section) { scope, _, name in
            guard let source = try await find(name, in: scope.teamID) else { throw Web.Problem.notFound }
            return try await check(source, scope)
        }
    }

    /// Counts a look at the source's records, and tells how long to wait for one.
    private func wait(_ source: RegisteredEmailSource, _ scope: Scope) async throws -> Duration? {
        try await limit.charge(
            .one(host: source.source.domain),
            by: scope.account.subject,
            of: scope.teamID,
            at: clock()
        )
    }

    private func check(_ source: RegisteredEmailSource, _ scope: Scope) async throws -> Response {
        if let wait = try await wait(source, scope) {
            return scope.site.respond(page, view(source, scope, .nothing, checkWait: wait), after: wait)
        }
        guard let checked = try await checks.check(source, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return scope.redirect(
            to: routes.one.link(scope.teamID, checked.key),
            saying: checked.state == .ok
                ? .good(Phrase("console.email-sources.flash.ok"))
                : .warn(Phrase("console.email-sources.flash.not-ok"))
        )
    }

    func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let sources = try await registry.emailSources.list(in: team)
        let search = ((try? scope.request.query())?["q"] ?? "").trimmed.lowercased()
        let found = search.isEmpty ? sources : sources.filter { $0.source.text.contains(search) }
        let view = EmailSourceListPage(
            frame: scope.frame(Phrase("console.email-sources.title")),
            team: team,
            query: search.isEmpty ? nil : search,
            sources: found,
            total: sources.count,
            newURL: scope.may(right) && sources.count < Limit.emailSources.count
                ? routes.new.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    func blank(_ scope: Scope) -> EmailSourceForm { EmailSourceForm() }

    func ask(_ scope: Scope, _ form: EmailSourceForm, _ problems: FormProblems) async throws -> Response {
        let view = NewEmailSourcePage(
            frame: scope.frame(Phrase("console.email-sources.new")),
            action: routes.list.link(scope.teamID),
            checkURL: routes.check.link(scope.teamID),
            form: form,
            problems: problems
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    func show(
        _ source: RegisteredEmailSource,
        _ scope: Scope,
        _ unfinished: Unfinished<EmailSourceForm>
    ) async throws -> Response {
        scope.site.respond(page, view(source, scope, unfinished), status: unfinished.status)
    }

    private func view(
        _ source: RegisteredEmailSource,
        _ scope: Scope,
        _ unfinished: Unfinished<EmailSourceForm>,
        checkWait: Duration? = nil
    ) -> EmailSourcePage {
        let mayChange = scope.may(right)
        return EmailSourcePage(
            frame: scope.frame(source.identity),
            source: source,
            checkURL: mayChange ? RegistryRoutes.emailSourceChecks.link(scope.teamID, source.key) : nil,
            checkWait: checkWait,
            editing: mayChange
                ? EmailSourcePage.Editing(
                    action: routes.one.link(scope.teamID, source.key),
                    checkURL: routes.checkOne.link(scope.teamID, source.key),
                    version: unfinished.typed?.version ?? source.version,
                    form: unfinished.typed?.form ?? EmailSourceForm(source),
                    problems: unfinished.settingProblems
                ) : nil,
            danger: mayChange ? danger(source, unfinished, scope.teamID) : nil
        )
    }

    private func danger(
        _ source: RegisteredEmailSource,
        _ unfinished: Unfinished<EmailSourceForm>,
        _ team: TeamID
    ) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: source.identity)
        return typed.view(
            action: routes.deletion.link(team, source.key),
            summary: Phrase("console.email-sources.danger.summary"),
            consequences: [],
            button: Phrase("console.email-sources.danger.button"),
            version: source.version,
            unfinished.confirmationProblems
        )
    }
}

// What is registered.
extension EmailSources {
    func find(_ name: String, in team: TeamID) async throws -> RegisteredEmailSource? {
        try await registry.emailSources.find(name, in: team)
    }

    func create(
        _ form: EmailSourceForm,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> RegisteredEmailSource {
        try await registry.emailSources.create(
            try EmailSource.Draft(parsing: form.input()),
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func update(
        _ source: RegisteredEmailSource,
        to form: EmailSourceForm,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<RegisteredEmailSource> {
        try await registry.emailSources.update(
            to: try EmailSource.Draft(parsing: form.input(for: source.source)),
            version: version,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func delete(
        _ source: RegisteredEmailSource,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.emailSources.delete(
            source.source,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    /// Who has just added a source wants to know how it stands; beyond the limit it is looked at within a minute.
    func settled(_ source: RegisteredEmailSource, _ scope: Scope) async throws {
        guard try await wait(source, scope) == nil else { return }
        _ = try await checks.check(source, in: scope.teamID)
    }

    func farewell(_ source: RegisteredEmailSource) -> Flash {
        .good(Phrase("console.email-sources.flash.removed", ["source": source.identity]))
    }
}

extension RegisteredEmailSource: RegisteredThing {
    var key: String { source.text }
    var identity: String { source.text }
}
