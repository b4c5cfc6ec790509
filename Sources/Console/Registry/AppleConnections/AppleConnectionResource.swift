import Bytes
import Domain
import HTTP
import Localization
import Postgres
import Registry
import Templates
import Tenancy
import Web

/// Handlers of connections of App ID groups to Apple: list, connect, edit, show with test results, delete.
struct AppleConnectionResource: ListedResource {
    let registry: RegistryStores
    let server: ServerContext
    let standIn: AppleStandIn?
    private let list: LivePage<AppleConnectionListPage>
    private let new: LivePage<NewAppleConnectionPage>
    private let page: LivePage<AppleConnectionPage>

    let routes = RegistryRoutes.appleConnections
    let section = Section.apple
    let right = Right.changeKeys

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts) throws(Diagnostics) {
        self.registry = registry
        server = parts.server
        standIn = parts.standIn
        list = try parts.site.pages.page(AppleConnectionListPage.self)
        new = try parts.site.pages.page(NewAppleConnectionPage.self)
        page = try parts.site.pages.page(AppleConnectionPage.self)
    }

    /// URL of the form for a new connection with a preselected App ID.
    static func newURL(for appID: ClientID, in team: TeamID) -> String {
        "\(RegistryRoutes.appleConnections.new.link(team))?app=\(appID)"
    }

    func index(_ context: TeamContext) async throws -> Response {
        let (team, mayChange) = (context.teamID, context.may(right))
        let connections = try await registry.appleConnections.list(in: team)
        let primaries = try await registry.primaries(in: team)
        let tests = try await registry.appleTests.all(in: team)
        let names = Dictionary(uniqueKeysWithValues: primaries.map { ($0.identifier, $0.description) })
        let connected = Set(connections.map(\.appID))
        let rows = connections.map { connection in
            AppleConnectionListPage.Row(
                team: team, name: names[connection.appID] ?? "", connection: connection,
                tests: Self.current(tests[connection.appID] ?? [], of: connection))
        }
        let others = primaries.filter { !connected.contains($0.identifier) }
        let view = AppleConnectionListPage(
            frame: context.frame(Message("console.apple.title")), team: team,
            sources: context.team.settings.identitySources, rows: rows,
            others: others.map { .init(team: team, appID: $0, mayConnect: mayChange) },
            newURL: mayChange && !others.isEmpty ? routes.new.link(team) : nil, hasAppIDs: !primaries.isEmpty,
            standIn: StandInSetup(standIn))
        return context.site.respond(list, view)
    }

    func emptyForm(_ context: TeamContext) -> AppleConnectionForm {
        let query = try? context.request.query()
        return AppleConnectionForm(of: query?["app"] ?? "", keyID: query?["key"] ?? "")
    }

    func newPage(_ context: TeamContext, _ form: AppleConnectionForm, _ problems: FormProblems) async throws -> Response
    {
        let team = context.teamID
        let keys = try await registry.appleKeys.list(in: team)
        let bundleIDs = try await registry.groupBundleIDs(of: form.appID, in: team)
        let view = NewAppleConnectionPage(
            frame: context.frame(Message("console.apple.new")), team: team, appID: form.appID,
            connecting: keys.isEmpty
                ? nil
                : NewAppleConnectionPage.Connecting(
                    action: routes.list.link(team), checkURL: routes.check.link(team), form: form, problems: problems,
                    primaries: try await registry.primaries(in: team), keys: keys),
            values: AppleValues(of: team, bundleIDs: bundleIDs, server), standIn: StandInSetup(standIn))
        return context.site.respond(new, view, status: problems.status)
    }

    func show(_ connection: AppleConnection, _ context: TeamContext, _ unfinished: Unfinished<AppleConnectionForm>)
        async throws -> Response
    {
        let view = try await view(connection, context, unfinished)
        return context.site.respond(page, view, status: unfinished.status)
    }

    private func view(
        _ connection: AppleConnection, _ context: TeamContext, _ unfinished: Unfinished<AppleConnectionForm>
    ) async throws -> AppleConnectionPage {
        let (team, mayChange) = (context.teamID, context.may(right))
        let id = connection.appID
        let bundleIDs = try await registry.groupBundleIDs(of: id.rawValue, in: team)
        let known = try await tests(of: connection, in: team)
        return AppleConnectionPage(
            frame: context.frame(Message("console.apple.title-of", ["app": id.rawValue])), team: team,
            name: try await registry.appIDs.find(id, in: team)?.description ?? id.rawValue, connection: connection,
            tests: known, unasked: Self.unasked(bundleIDs, known),
            isUsed: context.team.settings.identitySources.contains(.apple),
            values: AppleValues(of: team, bundleIDs: bundleIDs, server),
            testURL: mayChange ? RegistryRoutes.appleTests.link(team, id) : nil,
            standIn: standIn.map { standIn in
                AppleConnectionPage.StandInView(
                    teamID: standIn.teamID.rawValue, pageURL: standIn.pageURL,
                    registerURL: mayChange ? RegistryRoutes.appleStandIn.link(team, id) : nil)
            }, editing: mayChange ? try await editing(connection, team, unfinished) : nil,
            danger: mayChange ? danger(connection, unfinished, team) : nil)
    }

    /// Text with the number of bundle IDs that were not tested; nil if there are none, or no tests.
    private static func unasked(_ bundleIDs: [ClientID], _ tests: [AppleConnectionTest]) -> Message? {
        let asked = Set(tests.map(\.clientID))
        let rest = bundleIDs.count { !asked.contains($0) }
        guard !tests.isEmpty, rest > 0 else { return nil }
        return Message("console.apple.test.unasked", count: rest)
    }

    private func editing(_ connection: AppleConnection, _ team: TeamID, _ unfinished: Unfinished<AppleConnectionForm>)
        async throws -> AppleConnectionPage.Editing
    {
        AppleConnectionPage.Editing(
            action: routes.one.link(team, connection.appID), checkURL: routes.checkOne.link(team, connection.appID),
            version: unfinished.typed?.version ?? connection.version,
            form: unfinished.typed?.form ?? AppleConnectionForm(connection), problems: unfinished.settingProblems,
            keys: try await registry.appleKeys.list(of: connection.appID, in: team))
    }

    private func danger(_ connection: AppleConnection, _ unfinished: Unfinished<AppleConnectionForm>, _ team: TeamID)
        -> DangerView
    {
        let typed = unfinished.confirmation ?? Confirmation(expecting: connection.identity)
        return typed.view(
            action: routes.deletion.link(team, connection.appID), summary: Message("console.apple.danger.summary"),
            consequences: [Message("console.apple.danger.people"), Message("console.apple.danger.tokens")],
            button: Message("console.apple.danger.button"), version: connection.version, unfinished.confirmationProblems
        )
    }

    /// Tests of the connection's current key and Apple team, that of the Apple Services ID first.
    private func tests(of connection: AppleConnection, in team: TeamID) async throws -> [AppleConnectionTest] {
        Self.current(try await registry.appleTests.list(of: connection.appID, in: team), of: connection)
    }

    private static func current(_ tests: [AppleConnectionTest], of connection: AppleConnection) -> [AppleConnectionTest]
    {
        let current = tests.filter { $0.concerns(connection) }
        guard let first = current.first(where: { $0.clientID == connection.servicesID }) else { return [] }
        return [first] + current.filter { $0.clientID != connection.servicesID }
    }
}
