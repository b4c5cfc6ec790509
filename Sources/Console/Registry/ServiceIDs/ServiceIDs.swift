import AuthEngine
import Bytes
import Domain
import HTTP
import Postgres
import Registry
import SignIn
import Templates
import Web

/// Service IDs: list, create, show and edit in one save, delete.
struct ServiceIDs: ListedResource {
    private let registry: RegistryStores
    private let context: EngineContext
    private let list: LivePage<ServiceIDListPage>
    private let new: LivePage<NewServiceIDPage>
    private let page: LivePage<ServiceIDPage>

    let routes = RegistryRoutes.serviceIDs
    let section = Section.serviceIDs
    let right = Right.changeRegistry

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ context: EngineContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.context = context
        list = try pages.page(ServiceIDListPage.self)
        new = try pages.page(NewServiceIDPage.self)
        page = try pages.page(ServiceIDPage.self)
    }

    func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let address = try ListAddress(scope.request, path: routes.list.link(team))
        let page = try await registry.serviceIDs.list(address.byIdentifier, in: team)
        let view = ServiceIDListPage(
            frame: scope.frame(Phrase("console.service-ids.title")),
            query: address.searched,
            rows: page.items.map { ServiceIDListPage.Row(team: team, summary: $0) },
            hasAppIDs: try await registry.hasAppIDs(in: team),
            paging: address.paging(Phrase("console.service-ids.found", count: page.total), next: page.next),
            newURL: scope.may(right) ? routes.new.link(team) : nil,
            newAppIDURL: scope.may(right) ? ConsoleRoutes.newAppID.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    func blank(_ scope: Scope) -> ServiceIDForm {
        ServiceIDForm(of: (try? scope.request.query())?["app"] ?? "")
    }

    func ask(_ scope: Scope, _ form: ServiceIDForm, _ problems: FormProblems) async throws -> Response {
        let view = NewServiceIDPage(
            frame: scope.frame(Phrase("console.registry.new-service-id")),
            action: routes.list.link(scope.teamID),
            checkURL: routes.check.link(scope.teamID),
            form: form,
            problems: problems,
            appIDs: try await registry.allAppIDs(in: scope.teamID)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    func show(
        _ service: ServiceID,
        _ scope: Scope,
        _ unfinished: Unfinished<ServiceIDForm>
    ) async throws -> Response {
        let team = scope.teamID
        let id = service.identifier
        let mayChange = scope.may(right)
        let keys = try await registry.activeKeys(ofGroupOf: service.appID, in: team)
        let domains = try await registry.domains.list(of: id, in: team)
        let view = ServiceIDPage(
            frame: scope.frame(service.description),
            team: team,
            service: service,
            trialURL: mayChange ? TrialRoutes.new.link(team, id) : nil,
            editing: mayChange
                ? ServiceIDPage.Editing(
                    action: routes.one.link(team, id),
                    checkURL: routes.checkOne.link(team, id),
                    version: unfinished.typed?.version ?? service.version,
                    base: context.base(of: team),
                    form: unfinished.typed?.form ?? ServiceIDForm(service),
                    problems: unfinished.settingProblems
                ) : nil,
            domains: domains.map { ServiceIDPage.DomainRow(team: team, domain: $0) },
            settings: ClientSettings(team: team, context: context).views(of: service, keys: keys),
            keysURL: keys.isEmpty ? ConsoleRoutes.appID.link(team, service.appID) : nil,
            danger: mayChange ? danger(service, unfinished, team) : nil
        )
        return scope.site.respond(page, view, status: unfinished.status)
    }

    private func danger(
        _ service: ServiceID,
        _ unfinished: Unfinished<ServiceIDForm>,
        _ team: TeamID
    ) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: service.identity)
        return typed.view(
            action: routes.deletion.link(team, service.identifier),
            summary: Phrase("console.service-ids.delete.summary", ["service": service.description]),
            consequences: [
                Phrase("console.service-ids.delete.tokens"),
                Phrase("console.service-ids.delete.consents", ["app": service.appID.rawValue]),
            ],
            button: Phrase("console.service-ids.delete.button"),
            version: service.version,
            unfinished.confirmationProblems
        )
    }
}

// What is registered.
extension ServiceIDs {
    func find(_ id: ClientID, in team: TeamID) async throws -> ServiceID? {
        try await registry.serviceIDs.find(id, in: team)
    }

    func checkName(_ form: ServiceIDForm, _ scope: Scope, _ transaction: borrowing Transaction) async throws {
        guard let id = ClientID(rawValue: form.identifier.trimmed) else { return }
        try await registry.serviceIDs.requireFree(id, in: scope.teamID, transaction)
    }

    func create(
        _ form: ServiceIDForm,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> ServiceID {
        guard let appID = ClientID(rawValue: form.appID) else {
            let message = Phrase("console.service-ids.app-id.missing")
            throw Problems([Registry.Problem(field: "appID", message: message)])
        }
        return try await registry.serviceIDs.create(
            try ServiceID.Draft(parsing: form.input(), of: appID, policy: scope.addressPolicy),
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func update(
        _ service: ServiceID,
        to form: ServiceIDForm,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<ServiceID> {
        let draft = try ServiceID.Draft(
            parsing: form.input(for: service.identifier),
            of: service.appID,
            policy: scope.addressPolicy
        )
        return try await registry.serviceIDs.update(
            to: draft,
            version: version,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func delete(
        _ service: ServiceID,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.serviceIDs.delete(
            service.identifier,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        ) != nil
    }

    func praise(_ service: ServiceID) -> Flash? {
        .good(Phrase("console.service-ids.flash.created", ["service": service.description]))
    }

    func farewell(_ service: ServiceID) -> Flash {
        .good(Phrase("console.registry.flash.deleted", ["identifier": service.identifier.rawValue]))
    }
}

extension ServiceID: RegisteredThing {
    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}
