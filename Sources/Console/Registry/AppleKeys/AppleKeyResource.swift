import Bytes
import Domain
import HTTP
import Localization
import Postgres
import Registry
import Templates
import Web

/// Handlers of Apple keys: import, edit, remove.
struct AppleKeyResource: RegistryResource {
    private let registry: RegistryStores
    private let new: LivePage<NewAppleKeyPage>
    private let page: LivePage<AppleKeyPage>
    private let standIn: AppleStandIn?

    let routes = RegistryRoutes.appleKeys
    let section = Section.keys
    let right = Right.changeKeys

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ pages: Pages, _ standIn: AppleStandIn?) throws(Diagnostics) {
        self.registry = registry
        self.standIn = standIn
        new = try pages.page(NewAppleKeyPage.self)
        page = try pages.page(AppleKeyPage.self)
    }

    /// The list of keys, which also contains the Apple keys.
    func home(of team: TeamID) -> String { ConsoleRoutes.keys.link(team) }

    func emptyForm(_ context: TeamContext) -> AppleKeyForm {
        AppleKeyForm(of: (try? context.request.query())?["app"] ?? "")
    }

    func newPage(_ context: TeamContext, _ form: AppleKeyForm, _ problems: FormProblems) async throws -> Response {
        let view = NewAppleKeyPage(
            frame: context.frame(Message("console.apple-keys.new")), action: routes.list.link(context.teamID),
            checkURL: routes.check.link(context.teamID), form: form, problems: problems,
            primaries: try await registry.primaries(in: context.teamID), standIn: StandInSetup(standIn))
        return context.site.respond(new, view, status: problems.status)
    }

    func show(_ key: AppleKey, _ context: TeamContext, _ unfinished: Unfinished<AppleKeyForm>) async throws -> Response
    {
        let mayChange = context.may(right)
        let view = AppleKeyPage(
            frame: context.frame(key.name), team: context.teamID, appleKey: key,
            connectURL: mayChange ? try await connectURL(key, context.teamID) : nil,
            editing: mayChange
                ? AppleKeyPage.Editing(
                    action: routes.one.link(context.teamID, key.id),
                    checkURL: routes.checkOne.link(context.teamID, key.id),
                    version: unfinished.typed?.version ?? key.version,
                    form: unfinished.typed?.form ?? AppleKeyForm(key), problems: unfinished.settingProblems) : nil,
            danger: mayChange ? danger(key, unfinished, context.teamID) : nil)
        return context.site.respond(page, view, status: unfinished.status)
    }

    private func connectURL(_ key: AppleKey, _ team: TeamID) async throws -> String? {
        guard try await registry.appleConnections.find(of: key.appID, in: team) == nil else { return nil }
        return "\(AppleConnectionResource.newURL(for: key.appID, in: team))&key=\(key.id)"
    }

    private func danger(_ key: AppleKey, _ unfinished: Unfinished<AppleKeyForm>, _ team: TeamID) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: key.identity)
        return typed.view(
            action: routes.deletion.link(team, key.id), summary: Message("console.apple-keys.danger.summary"),
            consequences: [Message("console.apple-keys.danger.second")],
            button: Message("console.apple-keys.danger.button"), version: key.version, unfinished.confirmationProblems)
    }
}

// Access to the registry.
extension AppleKeyResource {
    func find(_ id: KeyID, in team: TeamID) async throws -> AppleKey? {
        try await registry.appleKeys.find(id, in: team)
    }

    func create(_ form: AppleKeyForm, _ context: TeamContext, _ transaction: borrowing Transaction) async throws
        -> AppleKey
    {
        try await registry.appleKeys.create(
            try AppleKey.Import(parsing: form.input), in: context.teamID, by: context.actor, from: context.origin,
            transaction)
    }

    func update(
        _ key: AppleKey, to form: AppleKeyForm, version: Int, _ context: TeamContext,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleKey> {
        try await registry.appleKeys.update(
            to: try AppleKey.Draft(parsing: form.input(over: key)), version: version, in: context.teamID,
            by: context.actor, from: context.origin, transaction)
    }

    func delete(_ key: AppleKey, reason: String, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws -> Bool
    {
        try await registry.appleKeys.delete(
            key.id, reason: reason, in: context.teamID, by: context.actor, from: context.origin, transaction) != nil
    }

    func createdMessage(_ key: AppleKey) -> Flash? {
        .good(Message("console.apple-keys.flash.imported", ["key": key.id.rawValue]))
    }

    func deletedMessage(_ key: AppleKey) -> Flash {
        .good(Message("console.apple-keys.flash.deleted", ["key": key.id.rawValue]))
    }
}

extension AppleKey: RegisteredThing {
    var key: KeyID { id }
    var identity: String { id.rawValue }
}
