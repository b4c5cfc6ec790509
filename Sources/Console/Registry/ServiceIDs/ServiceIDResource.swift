import Bytes
import Domain
import HTTP
import Hosted
import Localization
import Postgres
import Registry
import Templates
import Web

/// Handlers of Service IDs: list, create, show, edit, delete.
struct ServiceIDResource: ListedResource {
    private let registry: RegistryStores
    private let server: ServerContext
    private let list: LivePage<ServiceIDListPage>
    private let new: LivePage<NewServiceIDPage>
    private let page: LivePage<ServiceIDPage>

    let routes = RegistryRoutes.serviceIDs
    let section = Section.serviceIDs
    let right = Right.changeRegistry

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ server: ServerContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.server = server
        list = try pages.page(ServiceIDListPage.self)
        new = try pages.page(NewServiceIDPage.self)
        page = try pages.page(ServiceIDPage.self)
    }

    func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let address = try ListAddress(context.request, path: routes.list.link(team))
        let page = try await registry.serviceIDs.list(address.byIdentifier, in: team)
        let view = ServiceIDListPage(
            frame: context.frame(Message("console.service-ids.title")), query: address.searched,
            rows: page.items.map { ServiceIDListPage.Row(team: team, summary: $0) },
            hasAppIDs: try await registry.hasAppIDs(in: team),
            paging: address.paging(Message("console.service-ids.found", count: page.total), next: page.next),
            newURL: context.may(right) ? routes.new.link(team) : nil,
            newAppIDURL: context.may(right) ? ConsoleRoutes.newAppID.link(team) : nil)
        return context.site.respond(list, view)
    }

    func emptyForm(_ context: TeamContext) -> ServiceIDForm {
        ServiceIDForm(of: (try? context.request.query())?["app"] ?? "")
    }

    func newPage(_ context: TeamContext, _ form: ServiceIDForm, _ problems: FormProblems) async throws -> Response {
        let view = NewServiceIDPage(
            frame: context.frame(Message("console.registry.new-service-id")), action: routes.list.link(context.teamID),
            checkURL: routes.check.link(context.teamID), form: form, problems: problems,
            appIDs: try await registry.allAppIDs(in: context.teamID))
        return context.site.respond(new, view, status: problems.status)
    }

    func show(_ service: ServiceID, _ context: TeamContext, _ unfinished: Unfinished<ServiceIDForm>) async throws
        -> Response
    {
        let team = context.teamID
        let id = service.identifier
        let mayChange = context.may(right)
        let keys = try await registry.activeKeys(ofGroupOf: service.appID, in: team)
        let domains = try await registry.domains.list(of: id, in: team)
        let view = ServiceIDPage(
            frame: context.frame(service.description), team: team, service: service,
            testSignInURL: mayChange ? TestSignInRoutes.new.link(team, id) : nil,
            editing: mayChange
                ? ServiceIDPage.Editing(
                    action: routes.one.link(team, id), checkURL: routes.checkOne.link(team, id),
                    version: unfinished.typed?.version ?? service.version, base: server.base(of: team),
                    form: unfinished.typed?.form ?? ServiceIDForm(service), problems: unfinished.settingProblems) : nil,
            domains: domains.map { ServiceIDPage.DomainRow(team: team, domain: $0) },
            settings: ClientSettings(team: team, server: server).views(of: service, keys: keys),
            keysURL: keys.isEmpty ? ConsoleRoutes.appID.link(team, service.appID) : nil,
            danger: mayChange ? danger(service, unfinished, team) : nil)
        return context.site.respond(page, view, status: unfinished.status)
    }

    private func danger(_ service: ServiceID, _ unfinished: Unfinished<ServiceIDForm>, _ team: TeamID) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: service.identity)
        return typed.view(
            action: routes.deletion.link(team, service.identifier),
            summary: Message("console.service-ids.delete.summary", ["service": service.description]),
            consequences: [
                Message("console.service-ids.delete.tokens"),
                Message("console.service-ids.delete.consents", ["app": service.appID.rawValue]),
            ], button: Message("console.service-ids.delete.button"), version: service.version,
            unfinished.confirmationProblems)
    }
}

// Access to the registry.
extension ServiceIDResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> ServiceID? {
        try await registry.serviceIDs.find(id, in: team)
    }

    func checkName(_ form: ServiceIDForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws {
        guard let id = ClientID(rawValue: form.identifier.trimmed) else { return }
        try await registry.serviceIDs.requireFree(id, in: context.teamID, transaction)
    }

    func create(_ form: ServiceIDForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws
        -> ServiceID
    {
        guard let appID = ClientID(rawValue: form.appID) else {
            let message = Message("console.service-ids.app-id.missing")
            throw InvalidFields([FieldError(field: "appID", message: message)])
        }
        return try await registry.serviceIDs.create(
            try ServiceID.Draft(parsing: form.input(), of: appID, policy: context.addressPolicy), in: context.teamID,
            by: context.actor, from: context.origin, transaction)
    }

    func update(
        _ service: ServiceID, to form: ServiceIDForm, version: Int, _ context: TeamContext,
        _ transaction: borrowing Transaction
    ) async throws -> Update<ServiceID> {
        let draft = try ServiceID.Draft(
            parsing: form.input(for: service.identifier), of: service.appID, policy: context.addressPolicy)
        return try await registry.serviceIDs.update(
            to: draft, version: version, in: context.teamID, by: context.actor, from: context.origin, transaction)
    }

    func delete(_ service: ServiceID, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws -> Bool
    {
        try await registry.serviceIDs.delete(
            service.identifier, reason: reason, in: context.teamID, by: context.actor, from: context.origin, transaction
        ) != nil
    }

    func createdMessage(_ service: ServiceID) -> Flash? {
        .good(Message("console.service-ids.flash.created", ["service": service.description]))
    }

    func deletedMessage(_ service: ServiceID) -> Flash {
        .good(Message("console.registry.flash.deleted", ["identifier": service.identifier.rawValue]))
    }
}

extension ServiceID: RegisteredThing {
    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}
