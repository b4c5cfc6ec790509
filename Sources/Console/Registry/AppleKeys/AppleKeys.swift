import Bytes
import Domain
import HTTP
import Postgres
import Registry
import Templates
import Web

/// Keys from Apple: import, edit, forget.
struct AppleKeys: RegistryResource {
    private let registry: RegistryStores
    private let new: LivePage<NewAppleKeyPage>
    private let page: LivePage<AppleKeyPage>
    private let standIn: AppleStandIn?

    let routes = RegistryRoutes.appleKeys
    let section = Section.keys
    let right = Right.changeKeys

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ pages: Pages, _ standIn: AppleStandIn?) throws(Diagnostics) {
        self.registry = registry
        self.standIn = standIn
        new = try pages.page(NewAppleKeyPage.self)
        page = try pages.page(AppleKeyPage.self)
    }

    /// They are listed with the keys that are issued here.
    func home(of team: TeamID) -> String { ConsoleRoutes.keys.link(team) }

    func blank(_ scope: Scope) -> AppleKeyForm {
        AppleKeyForm(of: (try? scope.request.query())?["app"] ?? "")
    }

    func ask(_ scope: Scope, _ form: AppleKeyForm, _ problems: FormProblems) async throws -> Response {
        let view = NewAppleKeyPage(
            frame: scope.frame(Phrase("console.apple-keys.new")),
            action: routes.list.link(scope.teamID),
            checkURL: routes.check.link(scope.teamID),
            form: form,
            problems: problems,
            primaries: try await registry.primaries(in: scope.teamID),
            standIn: StandInSteps(standIn)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    func show(
        _ key: AppleKey,
        _ scope: Scope,
        _ unfinished: Unfinished<AppleKeyForm>
    ) async throws -> Response {
        let mayChange = scope.may(right)
        let view = AppleKeyPage(
            frame: scope.frame(key.name),
            team: scope.teamID,
            appleKey: key,
            connectURL: mayChange ? try await connectURL(key, scope.teamID) : nil,
            editing: mayChange
                ? AppleKeyPage.Editing(
                    action: routes.one.link(scope.teamID, key.id),
                    checkURL: routes.checkOne.link(scope.teamID, key.id),
                    version: unfinished.typed?.version ?? key.version,
                    form: unfinished.typed?.form ?? AppleKeyForm(key),
                    problems: unfinished.settingProblems
                ) : nil,
            danger: mayChange ? danger(key, unfinished, scope.teamID) : nil
        )
        return scope.site.respond(page, view, status: unfinished.status)
    }

    private func connectURL(_ key: AppleKey, _ team: TeamID) async throws -> String? {
        guard try await registry.appleConnections.find(of: key.appID, in: team) == nil else { return nil }
        return "\(AppleConnections.newURL(for: key.appID, in: team))&key=\(key.id)"
    }

    private func danger(
        _ key: AppleKey,
        _ unfinished: Unfinished<AppleKeyForm>,
        _ team: TeamID
    ) -> DangerView {
        let typed = unfinished.confirmation ?? Confirmation(expecting: key.identity)
        return typed.view(
            action: routes.deletion.link(team, key.id),
            summary: Phrase("console.apple-keys.danger.summary"),
            consequences: [Phrase("console.apple-keys.danger.second")],
            button: Phrase("console.apple-keys.danger.button"),
            version: key.version,
            unfinished.confirmationProblems
        )
    }
}

// What is registered.
extension AppleKeys {
    func find(_ id: KeyID, in team: TeamID) async throws -> AppleKey? {
        try await registry.appleKeys.find(id, in: team)
    }

    func create(
        _ form: AppleKeyForm,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> AppleKey {
        try await registry.appleKeys.create(
            try AppleKey.Import(parsing: form.input),
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func update(
        _ key: AppleKey,
        to form: AppleKeyForm,
        version: Int,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleKey> {
        try await registry.appleKeys.update(
            to: try AppleKey.Draft(parsing: form.input(over: key)),
            version: version,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        )
    }

    func delete(
        _ key: AppleKey,
        reason: String,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await registry.appleKeys.delete(
            key.id,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            transaction
        ) != nil
    }

    func praise(_ key: AppleKey) -> Flash? {
        .good(Phrase("console.apple-keys.flash.imported", ["key": key.id.rawValue]))
    }

    func farewell(_ key: AppleKey) -> Flash {
        .good(Phrase("console.apple-keys.flash.deleted", ["key": key.id.rawValue]))
    }
}

extension AppleKey: RegisteredThing {
    var key: KeyID { id }
    var identity: String { id.rawValue }
}
