import Bytes
import Domain
import HTTP
import Localization
import Postgres
import Registry
import Templates
import Web

/// Handlers of App IDs: list, register, show, edit, group, delete.
struct AppIDResource: ListedResource {
    private let registry: RegistryStores
    private let server: ServerContext
    private let list: LivePage<AppIDListPage>
    private let new: LivePage<NewAppIDPage>
    private let page: LivePage<AppIDPage>

    let routes = RegistryRoutes.appIDs
    let section = Section.appIDs
    let right = Right.changeRegistry

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ server: ServerContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.server = server
        list = try pages.page(AppIDListPage.self)
        new = try pages.page(NewAppIDPage.self)
        page = try pages.page(AppIDPage.self)
    }

    func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let address = try ListAddress(context.request, path: routes.list.link(team))
        let page = try await registry.appIDs.list(address.byIdentifier, in: team)
        let view = AppIDListPage(
            frame: context.frame(Message("console.app-ids.title")), query: address.searched,
            rows: page.items.map { AppIDListPage.Row(team: team, summary: $0) },
            paging: address.paging(Message("console.app-ids.found", count: page.total), next: page.next),
            newURL: context.may(right) ? routes.new.link(team) : nil)
        return context.site.respond(list, view)
    }

    func emptyForm(_ context: TeamContext) -> AppIDForm { AppIDForm() }

    func newPage(_ context: TeamContext, _ form: AppIDForm, _ problems: FormProblems) async throws -> Response {
        let view = NewAppIDPage(
            frame: context.frame(Message("console.registry.new-app-id")), action: routes.list.link(context.teamID),
            checkURL: routes.check.link(context.teamID), form: form, problems: problems,
            primaries: try await registry.primaries(in: context.teamID))
        return context.site.respond(new, view, status: problems.status)
    }

    func show(_ appID: AppID, _ context: TeamContext, _ unfinished: Unfinished<AppIDForm>) async throws -> Response {
        let team = context.teamID
        let id = appID.identifier
        let services = try await registry.serviceIDs.list(of: id, in: team).items
        let keys = try await registry.activeKeys(of: id, in: team)
        guard let consequences = try await registry.appIDs.consequences(of: id, in: team) else {
            throw UserFacingError.notFound
        }
        let hasServiceRoom = services.count < Quota.serviceIDs.count
        let hasKeyRoom = keys.count < Quota.activeKeys.count && appID.primary == nil
        let view = AppIDPage(
            frame: context.frame(appID.description), appID: appID,
            editing: context.may(right) ? try await editing(appID, context, unfinished) : nil,
            serviceIDs: services.map { AppIDPage.ServiceRow(team: team, summary: $0) },
            newServiceIDURL: hasServiceRoom && context.may(.changeRegistry)
                ? "\(ConsoleRoutes.newServiceID.link(team))?app=\(id)" : nil,
            grouped: consequences.groupedAppIDs.map { AppIDPage.GroupRow(team: team, identifier: $0) },
            keys: keys.map { AppIDPage.KeyRow(team: team, key: $0) },
            newKeyURL: hasKeyRoom && context.may(.changeKeys) ? "\(ConsoleRoutes.newKey.link(team))?app=\(id)" : nil,
            apple: try await apple(appID, context),
            danger: mayDelete(with: consequences, context) ? danger(appID, consequences, unfinished, team) : nil,
            transferURL: "\(TransferPages.transfers.link(team))?app=\(id)")
        return context.site.respond(page, view, status: unfinished.status)
    }

    private func apple(_ appID: AppID, _ context: TeamContext) async throws -> AppIDPage.AppleRow {
        let primary = appID.primary ?? appID.identifier
        let connection = try await registry.appleConnections.find(of: primary, in: context.teamID)
        return AppIDPage.AppleRow(
            team: context.teamID, primary: primary, servicesID: connection?.servicesID,
            mayConnect: context.may(.changeKeys))
    }

    private func editing(_ appID: AppID, _ context: TeamContext, _ unfinished: Unfinished<AppIDForm>) async throws
        -> AppIDPage.Editing
    {
        AppIDPage.Editing(
            action: routes.one.link(context.teamID, appID.identifier),
            checkURL: routes.checkOne.link(context.teamID, appID.identifier),
            version: unfinished.typed?.version ?? appID.version, base: server.base(of: context.teamID),
            form: unfinished.typed?.form ?? AppIDForm(appID), problems: unfinished.settingProblems,
            primaries: try await registry.primaries(in: context.teamID).filter { $0.identifier != appID.identifier })
    }

    private func danger(
        _ appID: AppID, _ consequences: AppIDConsequences, _ unfinished: Unfinished<AppIDForm>, _ team: TeamID
    ) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: appID.identity)
        return typed.view(
            action: routes.deletion.link(team, appID.identifier),
            summary: Message("console.app-ids.delete.summary", ["app": appID.description]),
            consequences: consequences.sentences, button: Message("console.app-ids.delete.button"),
            version: appID.version, unfinished.confirmationProblems)
    }

    /// Whether the member may delete the App ID; its keys are deleted too, so that needs the right to change keys.
    private func mayDelete(with consequences: AppIDConsequences, _ context: TeamContext) -> Bool {
        let keys = consequences.activeKeys + consequences.appleKeys
        return context.may(right) && (keys.isEmpty || context.may(.changeKeys))
    }
}

// Access to the registry.
extension AppIDResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppID? { try await registry.appIDs.find(id, in: team) }

    func checkName(_ form: AppIDForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws {
        guard let id = ClientID(rawValue: form.identifier.trimmed) else { return }
        try await registry.appIDs.requireFree(id, in: context.teamID, transaction)
    }

    func create(_ form: AppIDForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws -> AppID {
        try await registry.appIDs.create(
            try AppID.Draft(parsing: form.input, policy: context.addressPolicy), in: context.teamID, by: context.actor,
            from: context.origin, transaction)
    }

    func update(
        _ appID: AppID, to form: AppIDForm, version: Int, _ context: TeamContext, _ transaction: borrowing Transaction
    ) async throws -> Update<AppID> {
        try await registry.appIDs.update(
            to: try AppID.Draft(parsing: form.input(over: appID), policy: context.addressPolicy), version: version,
            in: context.teamID, by: context.actor, from: context.origin, transaction)
    }

    func delete(_ appID: AppID, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws -> Bool
    {
        let deleted = try await registry.appIDs.delete(
            appID.identifier, reason: reason, in: context.teamID, by: context.actor, from: context.origin, transaction)
        guard let deleted else { return false }
        guard mayDelete(with: deleted, context) else { throw UserFacingError.forbidden }
        return true
    }

    func createdMessage(_ appID: AppID) -> Flash? {
        .good(Message("console.app-ids.flash.registered", ["app": appID.description]))
    }

    func deletedMessage(_ appID: AppID) -> Flash {
        .good(Message("console.registry.flash.deleted", ["identifier": appID.identifier.rawValue]))
    }
}

extension AppID: RegisteredThing {
    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}
