import Domain
import HTTP
import Registry
import Templates
import Web

/// App IDs: list, new, show and edit, delete.
struct AppIDEndpoints: Sendable {
    private let registry: RegistryStores
    private let list: LivePage<AppIDListPage>
    private let new: LivePage<NewAppIDPage>
    private let show: LivePage<AppIDPage>
    private let conflict: LivePage<ConflictPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        list = try pages.page(AppIDListPage.self)
        new = try pages.page(NewAppIDPage.self)
        show = try pages.page(AppIDPage.self)
        conflict = try pages.page(ConflictPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.appIDs, needs: .read, at: .appIDs) { try await index($0) }
        router.get(ConsoleRoutes.newAppID, needs: .changeRegistry, at: .appIDs) { scope in
            try await ask(scope, AppIDForm(), .none)
        }
        router.post(ConsoleRoutes.appIDs, needs: .changeRegistry, at: .appIDs) { scope, form in
            try await create(scope, AppIDForm(form))
        }
        router.get(ConsoleRoutes.appID, needs: .read, at: .appIDs) { scope, id in
            try await respond(scope, try await find(id, scope))
        }
        router.post(ConsoleRoutes.appID, needs: .changeRegistry, at: .appIDs) { scope, form, id in
            try await update(scope, form, try await find(id, scope))
        }
        router.post(RegistryRoutes.appIDDeletion, needs: .changeRegistry, at: .appIDs) { scope, form, id in
            try await delete(scope, form, try await find(id, scope))
        }
    }

    private func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let address = try ListAddress(scope.request, path: ConsoleRoutes.appIDs.link(team))
        let page = try await registry.appIDs.list(address.byIdentifier, in: team)
        let view = AppIDListPage(
            frame: scope.frame("App IDs"),
            query: address.searched,
            rows: page.items.map { AppIDListPage.Row(team: team, summary: $0) },
            paging: address.paging(page.total, one: "App ID", many: "App IDs", next: page.next),
            newURL: scope.may(.changeRegistry) ? ConsoleRoutes.newAppID.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    private func ask(_ scope: Scope, _ form: AppIDForm, _ problems: FormProblems) async throws -> Response {
        let view = NewAppIDPage(
            frame: scope.frame("New App ID"),
            action: ConsoleRoutes.appIDs.link(scope.teamID),
            form: form,
            problems: problems,
            primaries: try await registry.primaries(in: scope.teamID)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    private func create(_ scope: Scope, _ form: AppIDForm) async throws -> Response {
        let outcome = try await FormProblems.collect {
            let draft = try AppID.Draft(parsing: form.input, policy: scope.addressPolicy)
            return try await registry.appIDs.create(
                draft,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
        }
        switch outcome {
        case .failure(let problems):
            return try await ask(scope, form, problems)
        case .success(let appID):
            registry.changed(scope.teamID)
            return scope.redirect(
                to: ConsoleRoutes.appID.link(scope.teamID, appID.identifier),
                saying: .good("\(appID.description) is registered. Next it needs a Service ID or a key.")
            )
        }
    }

    private func update(_ scope: Scope, _ sent: Form, _ current: AppID) async throws -> Response {
        let form = AppIDForm(sent)
        let version = try sent.version()
        let outcome = try await FormProblems.collect {
            let draft = try AppID.Draft(parsing: form.input(over: current), policy: scope.addressPolicy)
            return try await registry.appIDs.update(
                to: draft,
                version: version,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
        }
        switch outcome {
        case .failure(let problems):
            return try await respond(scope, current, typed: (form, version, problems))
        case .success(.notFound):
            throw Web.Problem.notFound
        case .success(.conflict(let theirs)):
            return showConflict(scope, form, theirs)
        case .success(.saved(let appID)):
            registry.changed(scope.teamID)
            let page = ConsoleRoutes.appID.link(scope.teamID, appID.identifier)
            return scope.redirect(to: page, saying: .good("Saved."))
        }
    }

    private func showConflict(_ scope: Scope, _ form: AppIDForm, _ theirs: AppID) -> Response {
        let view = ConflictPage(
            frame: scope.frame("Saved meanwhile"),
            heading: theirs.identifier.rawValue,
            auditURL: ConsoleRoutes.audit.link(scope.teamID),
            rows: form.compared(with: theirs),
            action: ConsoleRoutes.appID.link(scope.teamID, theirs.identifier),
            version: theirs.version,
            typed: form.fields
        )
        return scope.site.respond(conflict, view, status: .conflict)
    }

    private func delete(_ scope: Scope, _ sent: Form, _ appID: AppID) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: appID.identifier.rawValue)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await respond(scope, appID, confirmation: (confirmation, error))
        }
        let consequences = try await registry.appIDs.consequences(of: appID.identifier, in: scope.teamID)
        guard consequences.map({ mayDelete(with: $0, scope) }) ?? false else { throw Web.Problem.forbidden }
        let deleted = try await registry.appIDs.delete(
            appID.identifier,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard deleted != nil else { throw Web.Problem.notFound }
        registry.changed(scope.teamID)
        return scope.redirect(
            to: ConsoleRoutes.appIDs.link(scope.teamID),
            saying: .good("\(appID.identifier) is deleted.")
        )
    }
}

// The page of one App ID.
extension AppIDEndpoints {
    private func find(_ id: ClientID, _ scope: Scope) async throws -> AppID {
        guard let appID = try await registry.appIDs.find(id, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return appID
    }

    /// Keys go with it, so who may not touch keys may not delete what holds some.
    private func mayDelete(with consequences: AppIDConsequences, _ scope: Scope) -> Bool {
        scope.may(.changeRegistry) && (consequences.activeKeys.isEmpty || scope.may(.changeKeys))
    }

    private func respond(
        _ scope: Scope,
        _ appID: AppID,
        typed: (form: AppIDForm, version: Int, problems: FormProblems)? = nil,
        confirmation: (typed: Confirmation, problems: FormProblems)? = nil
    ) async throws -> Response {
        let team = scope.teamID
        let id = appID.identifier
        let services = try await registry.serviceIDs.list(of: id, in: team).items
        let keys = try await registry.activeKeys(of: id, in: team)
        guard let consequences = try await registry.appIDs.consequences(of: id, in: team) else {
            throw Web.Problem.notFound
        }
        let hasServiceRoom = services.count < Limit.serviceIDs.count
        let hasKeyRoom = keys.count < Limit.activeKeys.count && appID.primary == nil
        let view = AppIDPage(
            frame: scope.frame(appID.description),
            appID: appID,
            editing: scope.may(.changeRegistry)
                ? AppIDPage.Editing(
                    action: ConsoleRoutes.appID.link(team, id),
                    version: typed?.version ?? appID.version,
                    form: typed?.form ?? AppIDForm(appID),
                    problems: typed?.problems ?? .none,
                    primaries: try await registry.primaries(in: team).filter { $0.identifier != id }
                ) : nil,
            serviceIDs: services.map { AppIDPage.ServiceRow(team: team, summary: $0) },
            newServiceIDURL: hasServiceRoom && scope.may(.changeRegistry)
                ? "\(ConsoleRoutes.newServiceID.link(team))?app=\(id)" : nil,
            keys: keys.map { AppIDPage.KeyRow(team: team, key: $0) },
            newKeyURL: hasKeyRoom && scope.may(.changeKeys)
                ? "\(ConsoleRoutes.newKey.link(team))?app=\(id)" : nil,
            danger: mayDelete(with: consequences, scope)
                ? danger(appID, consequences, confirmation, team) : nil
        )
        let problems = typed?.problems ?? confirmation?.problems ?? .none
        return scope.site.respond(show, view, status: problems.status)
    }

    private func danger(
        _ appID: AppID,
        _ consequences: AppIDConsequences,
        _ confirmation: (typed: Confirmation, problems: FormProblems)?,
        _ team: TeamID
    ) -> DangerView {
        let typed = confirmation?.typed ?? Confirmation(expecting: appID.identifier.rawValue)
        return typed.view(
            action: RegistryRoutes.appIDDeletion.link(team, appID.identifier),
            summary:
                "Nobody can sign in to \(appID.description) afterwards, and its tokens stop working at once.",
            consequences: consequences.sentences,
            button: "Delete App ID",
            version: appID.version,
            confirmation?.problems ?? .none
        )
    }
}
