import Bytes
import Domain
import HTTP
import Postgres
import Registry
import Templates
import Web

/// App IDs: list, register, show and edit, group, delete.
struct AppIDs: ListedResource {
    private let registry: RegistryStores
    private let list: LivePage<AppIDListPage>
    private let new: LivePage<NewAppIDPage>
    private let page: LivePage<AppIDPage>

    let routes = RegistryRoutes.appIDs
    let section = Section.appIDs
    let right = Right.changeRegistry

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        list = try pages.page(AppIDListPage.self)
        new = try pages.page(NewAppIDPage.self)
        page = try pages.page(AppIDPage.self)
    }

    func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let address = try ListAddress(scope.request, path: routes.list.link(team))
        let page = try await registry.appIDs.list(address.byIdentifier, in: team)
        let view = AppIDListPage(
            frame: scope.frame(Phrase("console.app-ids.title")),
            query: address.searched,
            rows: page.items.map { AppIDListPage.Row(team: team, summary: $0) },
            paging: address.paging(Phrase("console.app-ids.found", count: page.total), next: page.next),
            newURL: scope.may(right) ? routes.new.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    func blank(_ scope: Scope) -> AppIDForm { AppIDForm() }

    func ask(_ scope: Scope, _ form: AppIDForm, _ problems: FormProblems) async throws -> Response {
        let view = NewAppIDPage(
            frame: scope.frame(Phrase("console.registry.new-app-id")),
            action: routes.list.link(scope.teamID),
            checkURL: routes.check.link(scope.teamID),
            form: form,
            problems: problems,
            primaries: try await registry.primaries(in: scope.teamID)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    func show(
        _ appID: AppID,
        _ scope: Scope,
        _ unfinished: Unfinished<AppIDForm>
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
            editing: scope.may(right) ? try await editing(appID, scope, unfinished) : nil,
            serviceIDs: services.map { AppIDPage.ServiceRow(team: team, summary: $0) },
            newServiceIDURL: hasServiceRoom && scope.may(.changeRegistry)
                ? "\(ConsoleRoutes.newServiceID.link(team))?app=\(id)" : nil,
            grouped: consequences.groupedAppIDs.map { AppIDPage.GroupRow(team: team, identifier: $0) },
            keys: keys.map { AppIDPage.KeyRow(team: team, key: $0) },
            newKeyURL: hasKeyRoom && scope.may(.changeKeys)
                ? "\(ConsoleRoutes.newKey.link(team))?app=\(id)" : nil,
            apple: try await apple(appID, scope),
            danger: mayDelete(with: consequences, scope)
                ? danger(appID, consequences, unfinished, team) : nil,
            transferURL: "\(TransferPages.transfers.link(team))?app=\(id)"
        )
        return scope.site.respond(page, view, status: unfinished.status)
    }

    private func apple(_ appID: AppID, _ scope: Scope) async throws -> AppIDPage.AppleRow {
        let primary = appID.primary ?? appID.identifier
        let connection = try await registry.appleConnections.find(of: primary, in: scope.teamID)
        return AppIDPage.AppleRow(
            team: scope.teamID,
            primary: primary,
            servicesID: connection?.servicesID,
            mayConnect: scope.may(.changeKeys)
        )
    }

    private func editing(
        _ appID: AppID,
        _ scope: Scope,
        _ unfinished: Unfinished<AppIDForm>
    ) async throws -> AppIDPage.Editing {
        AppIDPage.Editing(
            action: routes.one.link(scope.teamID, appID.identifier),
            checkURL: routes.checkOne.link(scope.teamID, appID.identifier),
            version: unfinished.typed?.version ?? appID.version,
            form: unfinished.typed?.form ?? AppIDForm(appID),
            problems: unfinished.settingProblems,
            primaries: try await registry.primaries(in: scope.teamID).filter {
                $0.identifier != appID.identifier
            }
        )
    }

    private func danger(
        _ appID: AppID,
        _ consequences: AppIDConsequences,
        _ unfinished: Unfinished<AppIDForm>,
        _ team: TeamID
    ) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: appID.identity)
        return typed.view(
            action: routes.deletion.link(team, appID.identifier),
            summary:
                Phrase("console.app-ids.delete.summary", ["app": appID.description]),
            consequences: consequences.sentences,
            button: Phrase("console.app-ids.delete.button"),
            version: appID.version,
            unfinished.confirmationProblems
        )
    }

    /// Keys go with it, so who may not touch keys may not delete what holds some.
    private func mayDelete(with consequences: AppIDConsequences, _ scope: Scope) -> Bool {
        let keys = consequences.activeKeys + consequences.appleKeys
        return scope.may(right) && (keys.isEmpty || scope.may(.changeKeys))
    }
}

// What is registered.
extension AppIDs {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppID? {
        try await registry.appIDs.find(id, in: team)
    }

    func checkName(_ form: AppIDForm, _ scope: Scope, _ transaction: borrowing Transaction) async throws {
        guard let id = ClientID(rawValue: form.identifier.trimmed) else { return }
        try await registry.appIDs.requireFree(id, in: scope.teamID, transaction)
    }

    func create(
        _ form: AppIDForm,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> AppID {
        try await registry.appIDs.create(
            try AppID.Draft(parsing: form.input, policy: scope.addressPolicy),
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func update(
        _ appID: AppID,
        to form: AppIDForm,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppID> {
        try await registry.appIDs.update(
            to: try AppID.Draft(parsing: form.input(over: appID), policy: scope.addressPolicy),
            version: version,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func delete(
        _ appID: AppID,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        let deleted = try await registry.appIDs.delete(
            appID.identifier,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
        guard let deleted else { return false }
        guard mayDelete(with: deleted, scope) else { throw Web.Problem.forbidden }
        return true
    }

    func praise(_ appID: AppID) -> Flash? {
        .good(Phrase("console.app-ids.flash.registered", ["app": appID.description]))
    }

    func farewell(_ appID: AppID) -> Flash {
        .good(Phrase("console.registry.flash.deleted", ["identifier": appID.identifier.rawValue]))
    }
}

extension AppID: RegisteredThing {
    var key: ClientID { identifier }
    var identity: String { identifier.rawValue }
}
