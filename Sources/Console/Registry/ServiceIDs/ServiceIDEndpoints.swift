import AuthEngine
import Domain
import HTTP
import Registry
import SignIn
import Templates
import Web

/// Service IDs: list, new, show and edit in one save, delete.
struct ServiceIDEndpoints: Sendable {
    private let registry: RegistryStores
    private let context: EngineContext
    private let list: LivePage<ServiceIDListPage>
    private let new: LivePage<NewServiceIDPage>
    private let show: LivePage<ServiceIDPage>
    private let conflict: LivePage<ConflictPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ context: EngineContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.context = context
        list = try pages.page(ServiceIDListPage.self)
        new = try pages.page(NewServiceIDPage.self)
        show = try pages.page(ServiceIDPage.self)
        conflict = try pages.page(ConflictPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.serviceIDs, needs: .read, at: .serviceIDs) { try await index($0) }
        router.get(ConsoleRoutes.newServiceID, needs: .changeRegistry, at: .serviceIDs) { scope in
            let chosen = (try? scope.request.query())?["app"] ?? ""
            return try await ask(scope, ServiceIDForm(of: chosen), .none)
        }
        router.post(ConsoleRoutes.serviceIDs, needs: .changeRegistry, at: .serviceIDs) { scope, form in
            try await create(scope, ServiceIDForm(form))
        }
        router.get(ConsoleRoutes.serviceID, needs: .read, at: .serviceIDs) { scope, id in
            try await respond(scope, try await find(id, scope))
        }
        router.post(ConsoleRoutes.serviceID, needs: .changeRegistry, at: .serviceIDs) { scope, form, id in
            try await update(scope, form, try await find(id, scope))
        }
        router.post(RegistryRoutes.serviceIDDeletion, needs: .changeRegistry, at: .serviceIDs) {
            scope,
            form,
            id in
            try await delete(scope, form, try await find(id, scope))
        }
    }

    private func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let address = try ListAddress(scope.request, path: ConsoleRoutes.serviceIDs.link(team))
        let page = try await registry.serviceIDs.list(address.byIdentifier, in: team)
        let mayChange = scope.may(.changeRegistry)
        let view = ServiceIDListPage(
            frame: scope.frame("Service IDs"),
            query: address.searched,
            rows: page.items.map { ServiceIDListPage.Row(team: team, summary: $0) },
            hasAppIDs: try await registry.hasAppIDs(in: team),
            paging: address.paging(page.total, one: "Service ID", many: "Service IDs", next: page.next),
            newURL: mayChange ? ConsoleRoutes.newServiceID.link(team) : nil,
            newAppIDURL: mayChange ? ConsoleRoutes.newAppID.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    private func ask(_ scope: Scope, _ form: ServiceIDForm, _ problems: FormProblems) async throws -> Response
    {
        let view = NewServiceIDPage(
            frame: scope.frame("New Service ID"),
            action: ConsoleRoutes.serviceIDs.link(scope.teamID),
            form: form,
            problems: problems,
            appIDs: try await registry.allAppIDs(in: scope.teamID)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    private func create(_ scope: Scope, _ form: ServiceIDForm) async throws -> Response {
        let outcome = try await FormProblems.collect {
            guard let appID = ClientID(rawValue: form.appID) else {
                let missing = Registry.Problem(field: "appID", message: "Choose the App ID it belongs to.")
                throw Problems([missing])
            }
            let draft = try ServiceID.Draft(parsing: form.input(), of: appID, policy: scope.addressPolicy)
            return try await registry.serviceIDs.create(
                draft,
                in: scope.teamID,
                by: scope.actor,
                from: scope.origin
            )
        }
        switch outcome {
        case .failure(let problems):
            return try await ask(scope, form, problems)
        case .success(let service):
            registry.changed(scope.teamID)
            return scope.redirect(
                to: ConsoleRoutes.serviceID.link(scope.teamID, service.identifier),
                saying: .good("\(service.description) is ready. Try a sign-in with it right away.")
            )
        }
    }

    private func update(_ scope: Scope, _ sent: Form, _ current: ServiceID) async throws -> Response {
        let form = ServiceIDForm(sent)
        let version = try sent.version()
        let outcome = try await FormProblems.collect {
            let draft = try ServiceID.Draft(
                parsing: form.input(for: current.identifier),
                of: current.appID,
                policy: scope.addressPolicy
            )
            return try await registry.serviceIDs.update(
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
        case .success(.saved(let service)):
            registry.changed(scope.teamID)
            let page = ConsoleRoutes.serviceID.link(scope.teamID, service.identifier)
            return scope.redirect(to: page, saying: .good("Saved."))
        }
    }

    private func showConflict(_ scope: Scope, _ form: ServiceIDForm, _ theirs: ServiceID) -> Response {
        let view = ConflictPage(
            frame: scope.frame("Saved meanwhile"),
            heading: theirs.identifier.rawValue,
            auditURL: ConsoleRoutes.audit.link(scope.teamID),
            rows: form.compared(with: theirs),
            action: ConsoleRoutes.serviceID.link(scope.teamID, theirs.identifier),
            version: theirs.version,
            typed: form.fields
        )
        return scope.site.respond(conflict, view, status: .conflict)
    }

    private func delete(_ scope: Scope, _ sent: Form, _ service: ServiceID) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: service.identifier.rawValue)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await respond(scope, service, confirmation: (confirmation, error))
        }
        let deleted = try await registry.serviceIDs.delete(
            service.identifier,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard deleted != nil else { throw Web.Problem.notFound }
        registry.changed(scope.teamID)
        return scope.redirect(
            to: ConsoleRoutes.serviceIDs.link(scope.teamID),
            saying: .good("\(service.identifier) is deleted.")
        )
    }
}

// The page of one Service ID.
extension ServiceIDEndpoints {
    private func find(_ id: ClientID, _ scope: Scope) async throws -> ServiceID {
        guard let service = try await registry.serviceIDs.find(id, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return service
    }

    private func respond(
        _ scope: Scope,
        _ service: ServiceID,
        typed: (form: ServiceIDForm, version: Int, problems: FormProblems)? = nil,
        confirmation: (typed: Confirmation, problems: FormProblems)? = nil
    ) async throws -> Response {
        let team = scope.teamID
        let mayChange = scope.may(.changeRegistry)
        let keys = try await registry.activeKeys(ofGroupOf: service.appID, in: team)
        let view = ServiceIDPage(
            frame: scope.frame(service.description),
            team: team,
            service: service,
            trialURL: mayChange ? TrialRoutes.new.link(team, service.identifier) : nil,
            editing: mayChange
                ? ServiceIDPage.Editing(
                    action: ConsoleRoutes.serviceID.link(team, service.identifier),
                    version: typed?.version ?? service.version,
                    base: context.base(of: team),
                    form: typed?.form ?? ServiceIDForm(service),
                    problems: typed?.problems ?? .none
                ) : nil,
            settings: ClientSettings(team: team, context: context).views(of: service, keys: keys),
            keysURL: keys.isEmpty ? ConsoleRoutes.appID.link(team, service.appID) : nil,
            danger: mayChange ? danger(service, confirmation, team) : nil
        )
        let problems = typed?.problems ?? confirmation?.problems ?? .none
        return scope.site.respond(show, view, status: problems.status)
    }

    private func danger(
        _ service: ServiceID,
        _ confirmation: (typed: Confirmation, problems: FormProblems)?,
        _ team: TeamID
    ) -> DangerView {
        let typed = confirmation?.typed ?? Confirmation(expecting: service.identifier.rawValue)
        return typed.view(
            action: RegistryRoutes.serviceIDDeletion.link(team, service.identifier),
            summary: "Nobody can sign in as \(service.description) afterwards.",
            consequences: [
                "Every token issued to it stops working at once.",
                "People keep the consent they gave to \(service.appID).",
            ],
            button: "Delete Service ID",
            version: service.version,
            confirmation?.problems ?? .none
        )
    }
}
