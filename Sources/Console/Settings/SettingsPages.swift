import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

import struct Registry.ProductionObstacle

/// What a team sets of itself: seen by all its members, changed by some, and its end.
struct SettingsPages: Sendable {
    let context: EngineContext
    private let teams: TeamStore
    let logos: TeamLogoStore
    let uploads: TeamWorkLimit
    private let tokens: TeamTokenEndStore
    private let registry: RegistryStores
    private let changed: @Sendable (TeamID) -> Void
    private let page: LivePage<SettingsPage>
    private let conflictPage: LivePage<ConflictPage>
    let previewPage: LivePage<PreviewPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        context = parts.context
        teams = TeamStore(parts.database)
        logos = TeamLogoStore(parts.database)
        uploads = .logos(LimitStore(parts.database))
        tokens = TeamTokenEndStore(parts.database, context: parts.context)
        registry = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        changed = parts.registryChanged
        page = try parts.site.pages.page(SettingsPage.self)
        conflictPage = try parts.site.pages.page(ConflictPage.self)
        previewPage = try parts.site.pages.page(PreviewPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(SettingsRoutes.settings, needs: .read, at: .settings) { scope in
            try await respond(scope, SettingsDraft(scope.team.configuration))
        }
        router.post(SettingsRoutes.part, needs: .changeSettings, at: .settings) { scope, form, part in
            try await save(scope, form, part)
        }
        router.get(SettingsRoutes.preview, needs: .read, at: .settings) { try await preview($0) }
        router.get(SettingsRoutes.accent, needs: .read, at: .settings) { try wordsAboutAccent($0) }
        let upload = RouteOptions.upload(limit: LogoFile.maximumSize)
        router.post(SettingsRoutes.logo, upload, needs: .changeSettings, at: .settings) { scope, _ in
            try await setLogo(scope)
        }
        router.post(SettingsRoutes.logoRemoval, needs: .changeSettings, at: .settings) { scope, _ in
            try await removeLogo(scope)
        }
        router.post(SettingsRoutes.deletion, needs: .dangerZone, at: .settings) { scope, form in
            try await delete(scope, form)
        }
        router.post(SettingsRoutes.deletionCancellation, needs: .dangerZone, at: .settings) { scope, _ in
            try await keep(scope)
        }
    }

    private func save(_ scope: Scope, _ form: Form, _ part: SettingsPart) async throws -> Response {
        let version = try form.version()
        var draft = SettingsDraft(scope.team.configuration)
        draft.read(form, of: part, setsMode: scope.account.isOperator)
        var errors = FieldErrors()
        try await checkMode(draft, scope, &errors)
        guard let configuration = draft.configuration(over: scope.team.configuration, &errors) else {
            return try await respond(scope, draft, errors)
        }
        let outcome = try await teams.update(
            scope.teamID,
            to: configuration,
            version: version,
            by: scope.actor,
            from: scope.origin
        )
        switch outcome {
        case .notFound: throw Problem.notFound
        case .conflict(let theirs): return refuse(scope, draft, form, part, theirs)
        case .updated: return saved(scope)
        }
    }

    /// What only a sandbox may have goes before a team leaves it.
    private func checkMode(_ draft: SettingsDraft, _ scope: Scope, _ errors: inout FieldErrors) async throws {
        guard draft.mode == .production, scope.team.settings.mode == .sandbox else { return }
        let obstacles = try await registry.obstaclesToProduction(of: scope.teamID)
        guard !obstacles.isEmpty else { return }
        let some = Words.list(obstacles.prefix(10).map { .verbatim($0.identifier.rawValue) })
        let words = Phrase("console.settings.mode.obstacles", ["some": some], count: obstacles.count)
        errors.add("mode", words)
    }

    func saved(_ scope: Scope) -> Response {
        changed(scope.teamID)
        return scope.redirect(
            to: SettingsRoutes.settings.link(scope.teamID),
            saying: .good(Phrase("console.settings.flash.saved"))
        )
    }

    /// Somebody else saved first: both versions, and the choice which stays.
    private func refuse(
        _ scope: Scope,
        _ draft: SettingsDraft,
        _ form: Form,
        _ part: SettingsPart,
        _ theirs: Team
    ) -> Response {
        let site = scope.site
        let rows = zip(SettingsDraft(theirs.configuration).lines(of: part), draft.lines(of: part)).map {
            theirs,
            yours in
            ConflictPage.Row(
                label: site.text(theirs.label.asWords),
                theirs: site.text(theirs.value.asWords),
                yours: site.text(yours.value.asWords)
            )
        }
        let view = ConflictPage(
            frame: scope.frame(Phrase("console.settings.conflict")),
            heading: theirs.settings.name.rawValue,
            auditURL: ConsoleRoutes.audit.link(scope.teamID),
            rows: rows,
            action: SettingsRoutes.part.link(scope.teamID, part),
            reloadURL: SettingsRoutes.settings.link(scope.teamID),
            version: theirs.version,
            typed: form.fields.filter { !["csrf", "version"].contains($0.name) }
        )
        return site.respond(conflictPage, view, status: .conflict)
    }

    private func delete(_ scope: Scope, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: scope.team.settings.name.rawValue)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            let draft = SettingsDraft(scope.team.configuration)
            return try await respond(scope, draft, deletion: danger(scope, confirmation, error))
        }
        let outcome = try await teams.requestDeletion(
            of: scope.teamID,
            reason: reason,
            version: try form.version(),
            by: scope.actor,
            from: scope.origin,
            at: context.clock()
        )
        return try answer(outcome, scope, saying: .warn(Phrase("console.settings.flash.deletion")))
    }

    private func keep(_ scope: Scope) async throws -> Response {
        let outcome = try await teams.cancelDeletion(of: scope.teamID, by: scope.actor, from: scope.origin)
        return try answer(outcome, scope, saying: .good(Phrase("console.settings.flash.kept")))
    }

    private func answer(_ outcome: TeamStore.Update, _ scope: Scope, saying flash: Flash) throws(Problem)
        -> Response
    {
        let settings = SettingsRoutes.settings.link(scope.teamID)
        switch outcome {
        case .notFound: throw .notFound
        case .updated: return scope.redirect(to: settings, saying: flash)
        case .conflict:
            let words = Phrase("console.settings.flash.changed-meanwhile")
            return scope.redirect(to: settings, saying: .bad(words))
        }
    }

    func respond(
        _ scope: Scope,
        _ draft: SettingsDraft,
        _ errors: FieldErrors = FieldErrors(),
        deletion: DangerView? = nil
    ) async throws -> Response {
        let due = try await due(scope)
        var view = view(scope, draft, due)
        view.logo = try await logos.digest(of: scope.teamID)
        view.errors = errors
        if let deletion { view.deletion = deletion }
        let isRefused = !errors.isEmpty || deletion != nil
        return scope.site.respond(page, view, status: isRefused ? .unprocessableContent : .ok)
    }

    private func view(
        _ scope: Scope,
        _ draft: SettingsDraft,
        _ due: SettingsPage.DeletionView?
    ) -> SettingsPage {
        let mayDelete = scope.may(.dangerZone) && scope.team.deletionDueAt == nil
        let typed = Confirmation(expecting: scope.team.settings.name.rawValue)
        return SettingsPage(
            frame: scope.frame(Phrase("console.settings.title")),
            team: scope.team,
            mayChange: scope.may(.changeSettings),
            setsMode: scope.account.isOperator,
            draft: draft,
            deletion: mayDelete ? danger(scope, typed, .none) : nil,
            due: due
        )
    }

    /// What is on its way already: the day while it can be taken back, then what is being waited for.
    private func due(_ scope: Scope) async throws -> SettingsPage.DeletionView? {
        guard scope.may(.dangerZone), let due = scope.team.deletionDueAt else { return nil }
        guard let closedAt = scope.team.closedAt else {
            let action = SettingsRoutes.deletionCancellation.link(scope.teamID)
            return SettingsPage.DeletionView(action: action, due: TimeView(due), waiting: nil)
        }
        return SettingsPage.DeletionView(
            action: nil,
            due: TimeView(closedAt),
            waiting: .waiting(for: try await tokens.waiting(in: scope.teamID))
        )
    }

    private func danger(_ scope: Scope, _ typed: Confirmation, _ problems: FormProblems) -> DangerView {
        typed.view(
            action: SettingsRoutes.deletion.link(scope.teamID),
            summary: Phrase("console.settings.deletion.summary"),
            consequences: [
                Phrase("console.settings.deletion.apps"), Phrase("console.settings.deletion.people"),
                Phrase("console.settings.deletion.id"),
            ],
            button: Phrase("console.settings.deletion.button"),
            version: scope.team.version,
            problems
        )
    }

    static var views: [any View.Type] { [SettingsPage.self, PreviewPage.self] }
}
