import Core
import Directory
public import Federation
public import HTTP
import OAuth
public import Platform
public import Registry

/// Live check-up of one team's connections to Apple, addresses, domains and e-mail sources.
public struct TeamCheckup: Sendable {
    let database: TeamDatabase
    let server: ServerContext
    private let apple: AppleProvider
    let surroundings: CheckupEnvironment
    let checks: RegistryChecks
    /// The environment for hosts that the team has named.
    var namedHosts: CheckupEnvironment { CheckupEnvironment(server: server, client: checks.client) }

    /// - Parameters:
    ///   - apple: the provider of the client's loop, which is also the loop of `checks`.
    ///   - client: a client for addresses of this installation.
    public init(
        _ database: TeamDatabase, server: ServerContext, apple: AppleProvider, checks: RegistryChecks,
        client: HTTPClient
    ) {
        self.database = database
        self.server = server
        self.apple = apple
        self.checks = checks
        surroundings = CheckupEnvironment(server: server, client: client)
    }

    /// - Parameters:
    ///   - actor: the actor in the audit event of a domain whose state changes.
    public func run(_ team: Team, by actor: Actor, from origin: Origin) async throws -> [Finding] {
        let connections = try await AppleConnectionStore(database).list(in: team.id)
        var findings = sources(team.settings.identitySources, connections)
        findings += try await check(connections, of: team.id)
        if !connections.isEmpty { findings += try await checkAddresses(of: team.id) }
        findings += try await checkReturnURLs(of: team)
        findings += try await checkDomains(of: team, actor, origin)
        findings += try await checkMail(of: team.id)
        return findings + (try await checkUse(of: team.id))
    }

    /// Whether one of the teams has a connection to Apple: without one, no response from Apple is only a note.
    public func needsApple(_ teams: [TeamID]) async throws -> Bool {
        let store = AppleConnectionStore(database)
        for team in teams where try await !store.list(in: team).isEmpty { return true }
        return false
    }

    private func sources(_ sources: [IdentitySource], _ connections: [AppleConnection]) -> [Finding] {
        let subject = Message("console.doctor.sources")
        switch (sources.contains(.apple), connections.isEmpty) {
        case (true, true):
            let advice = Message("console.doctor.sources.unconnected.advice")
            return [Finding(.wrong, subject, Message("console.doctor.sources.unconnected"), advice: [advice])]
        case (false, false): return [Finding(.note, subject, Message("console.doctor.sources.unused"))]
        default: return []
        }
    }
}

// Apple.
extension TeamCheckup {
    /// Maximum number of connections tested in one check-up.
    private static let connectionLimit = 10

    /// Keys of connections whose private keys the present master keys decrypt.
    private func openableKeys(in team: TeamID) async throws -> Set<KeyID> {
        try await AppleKeyStore(database, keyRing: server.keyRing).openable(in: team)
    }

    /// Number of connection tests that a check-up counts as; at least one, because it always sends requests to Apple.
    public func connectionTests(in team: TeamID) async throws -> Int {
        let connections = try await AppleConnectionStore(database).list(in: team)
        let openable = try await openableKeys(in: team)
        return max(1, min(connections.count { openable.contains($0.keyID) }, Self.connectionLimit))
    }

    private func check(_ connections: [AppleConnection], of team: TeamID) async throws -> [Finding] {
        let tested = try await AppleConnectionTestStore(database).lastTests(in: team)
        // Connections whose key cannot be decrypted are not tested, so they must not count toward the limit.
        let openable = try await openableKeys(in: team)
        let (testable, sealed) = (
            connections.filter { openable.contains($0.keyID) }, connections.filter { !openable.contains($0.keyID) }
        )
        let choice = LeastRecentlyChecked(of: testable, most: Self.connectionLimit) { tested[$0.appID] }
        var findings = sealed.map { Self.sealed($0.keyID) }
        for connection in choice.things { findings += try await check(connection, of: team) }
        return findings
            + Self.others(
                choice.rest, Message("console.doctor.connections"),
                Message("console.doctor.connections.rest", ["limit": Self.connectionLimit], count: choice.rest))
    }

    private func check(_ connection: AppleConnection, of team: TeamID) async throws -> [Finding] {
        let tests = ConnectionTests(database, server: server, apple: apple)
        let app = connection.appID
        guard let report = try await tests.test(app, in: team),
            let registration = try await tests.registration(of: app, in: team)
        else { return [Self.sealed(connection.keyID)] }
        let verdicts = ConnectionVerdict.all(
            of: report.tests, servicesID: connection.servicesID, isStandIn: apple.isStandIn)
        let found = verdicts.map { verdict in
            Finding(
                verdict.outcome == .accepted ? .good : .wrong,
                Message("console.doctor.client", ["client": verdict.tests.map(\.clientID.rawValue)]), verdict.meaning,
                advice: verdict.advice)
        }
        let others = Self.others(
            report.unasked, Message("console.doctor.bundle-ids", ["app": app.rawValue]),
            Message("console.apple.test.unasked", count: report.unasked))
        return found + others + [await checkSheet(registration, of: team)]
    }

    private static func sealed(_ key: KeyID) -> Finding {
        Finding(
            .wrong, Message("console.doctor.key", ["key": key.rawValue]), Message("console.doctor.key.sealed"),
            advice: [Message("console.doctor.key.sealed.advice")])
    }

    private func checkSheet(_ registration: AppleRegistration, of team: TeamID) async -> Finding {
        let url = server.returnURL(of: .apple, in: team)
        let client = registration.servicesID.rawValue
        let subject = Message("console.doctor.sheet", ["client": client])
        switch await apple.sheet(of: registration, returnURL: url) {
        case .opens: return Finding(.good, subject, Message("console.doctor.sheet.opens", ["url": url]))
        case .refuses(let status):
            return Finding(
                .wrong, subject, Message("console.doctor.sheet.refuses", ["status": String(status)]),
                advice: [
                    apple.isStandIn
                        ? Message("console.doctor.sheet.refuses.stand-in", ["url": url, "client": client])
                        : Message("console.doctor.sheet.refuses.advice", ["url": url, "client": client])
                ])
        case .unknown(let reason):
            return Finding(.note, subject, Message("console.doctor.sheet.unknown", ["reason": reason]))
        }
    }
}
