import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Handlers of connections of App ID groups to Apple: list, connect, edit, show with test results, delete.
struct AppleConnectionResource: RegistryResource {
    let parts: Console.Parts

    let routes = RegistryRoutes.appleConnections
    let section = Section.apple
    let right = Right.changeKeys

    static var views: [any View.Type] {
        [AppleConnectionListPage.self, NewAppleConnectionPage.self, AppleConnectionPage.self]
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(routes.list, needs: .read, at: section) { try await index($0) }
        router.post(RegistryRoutes.appleTests, needs: right, at: section) { context, _, appID in
            try await test(context, appID)
        }
        guard let simulator = parts.simulator else { return }
        router.post(RegistryRoutes.appleSimulator, needs: right, at: section) { context, _, appID in
            try await register(context, appID, at: simulator)
        }
    }

    /// URL of the form for a new connection with a preselected App ID.
    static func newURL(for appID: ClientID, in team: TeamID) -> String {
        "\(RegistryRoutes.appleConnections.new.link(team))?app=\(appID)"
    }

    private func index(_ context: TeamContext) async throws -> Response {
        let (team, mayChange) = (context.teamID, context.may(right))
        let connections = try await registry.appleConnections.list(in: team)
        let primaries = try await registry.primaries(in: team)
        let tests = try await registry.appleTests.all(in: team)
        let names = Dictionary(uniqueKeysWithValues: primaries.map { ($0.identifier, $0.description) })
        let connected = Set(connections.map(\.appID))
        let rows = connections.map { connection in
            let tests = Self.current(tests[connection.appID] ?? [], of: connection)
            return ListRow(
                names[connection.appID] ?? "", at: routes.one.link(team, connection.appID),
                codes: [connection.appID.rawValue, connection.servicesID.rawValue],
                end: [tests.first.map { .text(Message("console.apple.tested"), $0.testedAt) }, .badge(tests.badge)])
        }
        let others = primaries.filter { !connected.contains($0.identifier) }.map { appID in
            let (id, url) = (appID.identifier.rawValue, Self.newURL(for: appID.identifier, in: team))
            return ListRow(
                appID.description, codes: [id],
                end: [mayChange ? .link(Message("console.apple.connect"), url, for: id) : nil])
        }
        let view = AppleConnectionListPage(
            frame: context.frame(Message("console.apple.title")), team: context.team, rows: rows, others: others,
            newURL: mayChange && !others.isEmpty ? routes.new.link(team) : nil, hasAppIDs: !primaries.isEmpty,
            simulator: SimulatorSetup(parts.simulator))
        return context.site.respond(view)
    }

    func emptyForm(_ context: TeamContext) -> SettingsForm<AppleConnection> {
        let query = try? context.request.query()
        return SettingsForm(["appID": query?["app"] ?? "", "keyID": query?["key"] ?? ""])
    }

    func newPage(_ context: TeamContext, _ form: SettingsForm<AppleConnection>, _ problems: FieldErrors) async throws
        -> Response
    {
        let team = context.teamID
        let keys = try await registry.appleKeys.list(in: team)
        let bundleIDs = try await registry.groupBundleIDs(of: form["appID"], in: team)
        let view = NewAppleConnectionPage(
            frame: context.frame(Message("console.apple.new")), team: team, appID: form["appID"],
            connecting: keys.isEmpty
                ? nil
                : creating(
                    context, form, problems,
                    [
                        .appIDs(
                            try await registry.primaries(in: team), chosen: form["appID"],
                            label: AppleConnection.words.label("appID"), hint: Message("console.apple.appID.hint"),
                            errors: problems)
                    ] + inputs(form, problems, keys)), values: AppleValues(of: team, bundleIDs: bundleIDs, server),
            simulator: SimulatorSetup(parts.simulator))
        return context.site.respond(view, status: problems.status)
    }

    /// The inputs that can change.
    private func inputs(_ form: SettingsForm<AppleConnection>, _ problems: FieldErrors, _ keys: [AppleKey]) -> [Input] {
        let options = keys.map { key in
            Option(key.id.rawValue, "\(key.id), \(key.name) (\(key.appID))", isChosen: key.id.rawValue == form["keyID"])
        }
        return form.inputs(problems, site, options: ["keyID": options])
    }

    func show(_ connection: AppleConnection, _ context: TeamContext, _ rejected: RejectedForm<AppleConnection>)
        async throws -> Response
    {
        let (team, mayChange) = (context.teamID, context.may(right))
        let id = connection.appID
        let bundleIDs = try await registry.groupBundleIDs(of: id.rawValue, in: team)
        let known = Self.current(try await registry.appleTests.list(of: id, in: team), of: connection)
        let keys = try await registry.appleKeys.list(of: id, in: team)
        let view = AppleConnectionPage(
            frame: context.frame(Message("console.apple.title-of", ["app": id.rawValue])), team: team,
            name: try await registry.appIDs.find(id, in: team)?.description ?? id.rawValue, connection: connection,
            tests: known, unasked: Self.unasked(bundleIDs, known),
            isUsed: context.team.settings.identitySources.contains(.apple),
            values: AppleValues(of: team, bundleIDs: bundleIDs, server),
            testURL: mayChange ? RegistryRoutes.appleTests.link(team, id) : nil,
            simulator: parts.simulator.map { simulator in
                AppleConnectionPage.SimulatorView(
                    teamID: simulator.teamID.rawValue, pageURL: simulator.pageURL,
                    registerURL: mayChange ? RegistryRoutes.appleSimulator.link(team, id) : nil)
            }, editing: editing(connection, context, rejected) { (inputs($0, $1, keys), []) },
            danger: danger(
                connection, context, rejected, summary: Message("console.apple.danger.summary"),
                consequences: [Message("console.apple.danger.people"), Message("console.apple.danger.tokens")],
                button: Message("console.apple.danger.button")))
        return context.site.respond(view, status: rejected.status)
    }

    /// Text with the number of bundle IDs that were not tested; nil if there are none, or no tests.
    private static func unasked(_ bundleIDs: [ClientID], _ tests: [AppleConnectionTest]) -> Message? {
        let asked = Set(tests.map(\.clientID))
        let rest = bundleIDs.count { !asked.contains($0) }
        guard !tests.isEmpty, rest > 0 else { return nil }
        return Message("console.apple.test.unasked", count: rest)
    }

    /// Tests of the connection's current key and Apple team, that of the Apple Services ID first.
    private static func current(_ tests: [AppleConnectionTest], of connection: AppleConnection) -> [AppleConnectionTest]
    {
        let current = tests.filter { $0.concerns(connection) }
        guard let first = current.first(where: { $0.clientID == connection.servicesID }) else { return [] }
        return [first] + current.filter { $0.clientID != connection.servicesID }
    }
}

// Access to the registry.
extension AppleConnectionResource {
    func find(_ id: ClientID, in team: TeamID) async throws -> AppleConnection? {
        try await registry.appleConnections.find(of: id, in: team)
    }

    func create(_ form: SettingsForm<AppleConnection>, _ context: TeamContext, _ change: borrowing Change) async throws
        -> AppleConnection
    {
        let draft = try AppleConnection.Draft(form["appID"], form.typed)
        let update = try await registry.appleConnections.save(draft, over: .none, change)
        switch update {
        case .saved(let connection): return connection
        case .conflict, .notFound: throw ValidationError.connectedAlready(draft.appID)
        }
    }

    func update(
        _ connection: AppleConnection, to typed: Typed, version: Int, _ context: TeamContext, _ change: borrowing Change
    ) async throws -> Update<AppleConnection> {
        let draft = try AppleConnection.Draft(connection.appID.rawValue, typed)
        return try await registry.appleConnections.save(draft, over: .exactly(version), change)
    }

    func delete(_ connection: AppleConnection, reason: String, _ context: TeamContext, _ change: borrowing Change)
        async throws -> Bool
    { try await registry.appleConnections.delete(of: connection.appID, reason: reason, change) != nil }

    func createdMessage(_ connection: AppleConnection) -> Flash? {
        let app = connection.appID.rawValue
        return parts.simulator == nil
            ? .good(Message("console.apple.flash.connected", ["app": app]))
            : .good(Message("console.apple.flash.connected.simulator", ["app": app]))
    }

    func deletedMessage(_ connection: AppleConnection) -> Flash {
        .good(Message("console.apple.flash.deleted", ["app": connection.appID.rawValue]))
    }
}

extension AppleConnection: DeclaredObject {
    static let identity = ["appID"]
    static let words = SettingWords("console.apple")
    static let inputs: [String: FieldPath] = ["identifier": "servicesID"]

    var key: ClientID { appID }
    var identity: String { appID.rawValue }
}

// Tests of a connection at Apple, and the registration of its clients at the Apple simulator.
extension AppleConnectionResource {
    private var connections: ConnectionTests { ConnectionTests(database, server: server, apple: parts.apple) }

    private func test(_ context: TeamContext, _ appID: ClientID) async throws -> Response {
        _ = try await find(appID, in: context.teamID).orNotFound()
        try await count(.probes, in: context.teamID)
        guard let report = try await connections.test(appID, in: context.teamID) else {
            return try await refuse(context, appID)
        }
        return context.redirect(to: page(context, appID), saying: Self.flash(of: report))
    }

    private static func flash(of report: ConnectionTests.Report) -> Flash {
        guard report.tests.allSatisfy({ $0.outcome == .accepted }) else {
            return .warn(Message("console.apple.flash.tested"))
        }
        return report.unasked == 0
            ? .good(Message("console.apple.flash.works")) : .good(Message("console.apple.flash.asked-work"))
    }

    private func register(_ context: TeamContext, _ appID: ClientID, at simulator: AppleSimulator) async throws
        -> Response
    {
        guard let registration = try await connections.registration(of: appID, in: context.teamID) else {
            return try await refuse(context, appID)
        }
        guard registration.teamID == simulator.teamID else {
            let words = Message("console.apple.flash.other-team", ["team": simulator.teamID.rawValue])
            return context.redirect(to: page(context, appID), saying: .bad(words))
        }
        let problems = try await simulator.register(
            registration, server.returnURL(of: .apple, in: context.teamID),
            server.notificationURL(of: .apple, in: context.teamID))
        if let problem = problems.all.first {
            return context.redirect(to: page(context, appID), saying: .bad(problem.message))
        }
        // They were answered before the simulator knew these values.
        try await registry.appleTests.replace([], of: appID, in: context.teamID)
        let done = Message("console.apple.flash.registered")
        return context.redirect(to: page(context, appID), saying: .good(done))
    }

    /// Response for a connection that does not exist (404), or whose key cannot be decrypted (a message).
    private func refuse(_ context: TeamContext, _ appID: ClientID) async throws -> Response {
        guard try await connections.isConnected(appID, in: context.teamID) else { throw UserFacingError.notFound }
        let words = Message("console.apple.flash.sealed")
        return context.redirect(to: page(context, appID), saying: .bad(words))
    }

    private func page(_ context: TeamContext, _ appID: ClientID) -> String { routes.one.link(context.teamID, appID) }
}
