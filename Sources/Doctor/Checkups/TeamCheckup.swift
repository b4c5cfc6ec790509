public import AuthEngine
import Bytes
import Directory
public import Domain
public import HTTPClient
public import Providers
public import Registry
public import Tenancy

/// Looks at what one team has set up, live.
public struct TeamCheckup: Sendable {
    let database: TeamDatabase
    let context: EngineContext
    private let apple: AppleProvider
    let surroundings: Surroundings
    let checks: RegistryChecks
    /// The hosts that the team has named.
    var namedHosts: Surroundings { Surroundings(context: context, client: checks.client) }

    /// - Parameters:
    ///   - apple: belongs to the client's loop, as `checks` does.
    ///   - client: asks for addresses of this installation.
    public init(
        _ database: TeamDatabase,
        context: EngineContext,
        apple: AppleProvider,
        checks: RegistryChecks,
        client: HTTPClient
    ) {
        self.database = database
        self.context = context
        self.apple = apple
        self.checks = checks
        surroundings = Surroundings(context: context, client: client)
    }

    /// - Parameters:
    ///   - actor: who asked; a domain whose state changes by it is on record.
    public func run(
        _ team: Team,
        by actor: Actor,
        from origin: Origin
    ) async throws -> [Finding] {
        let connections = try await AppleConnectionStore(database).list(in: team.id)
        var findings = sources(team.settings.identitySources, connections)
        findings += try await lookAt(connections, of: team.id)
        if !connections.isEmpty { findings += try await lookAtAddresses(of: team.id) }
        findings += try await lookAtReturnURLs(of: team)
        findings += try await lookAtDomains(of: team, actor, origin)
        findings += try await lookAtMail(of: team.id)
        return findings + (try await lookAtUse(of: team.id))
    }

    /// Whether one of the teams has connected anything to Apple: until then Apple's silence is worth no more than a note.
    public func needsApple(_ teams: [TeamID]) async throws -> Bool {
        let store = AppleConnectionStore(database)
        for team in teams where try await !store.list(in: team).isEmpty { return true }
        return false
    }

    private func sources(_ sources: [IdentitySource], _ connections: [AppleConnection]) -> [Finding] {
        let subject = Phrase("console.doctor.sources")
        switch (sources.contains(.apple), connections.isEmpty) {
        case (true, true):
            let advice = Phrase("console.doctor.sources.unconnected.advice")
            return [
                Finding(.wrong, subject, Phrase("console.doctor.sources.unconnected"), advice: [advice])
            ]
        case (false, false): return [Finding(.note, subject, Phrase("console.doctor.sources.unused"))]
        default: return []
        }
    }
}

// Apple.
extension TeamCheckup {
    /// Connections that one check-up tests.
    private static let connectionLimit = 10

    /// The keys that Apple can be asked with.
    private func openableKeys(in team: TeamID) async throws -> Set<KeyID> {
        try await AppleKeyStore(database, keyRing: context.keyRing).openable(in: team)
    }

    /// As how many tests of a connection a check-up of the team counts; it asks Apple where there is none, too.
    public func connectionTests(in team: TeamID) async throws -> Int {
        let connections = try await AppleConnectionStore(database).list(in: team)
        let openable = try await openableKeys(in: team)
        return max(1, min(connections.count { openable.contains($0.keyID) }, Self.connectionLimit))
    }

    private func lookAt(_ connections: [AppleConnection], of team: TeamID) async throws -> [Finding] {
        let tested = try await AppleConnectionTestStore(database).lastTests(in: team)
        // Apple is asked nothing with a key that cannot be opened, so it takes the place of none that can.
        let openable = try await openableKeys(in: team)
        let (testable, sealed) = (
            connections.filter { openable.contains($0.keyID) },
            connections.filter { !openable.contains($0.keyID) }
        )
        let choice = Choice(of: testable, most: Self.connectionLimit) { tested[$0.appID] }
        var findings = sealed.map { Self.sealed($0.keyID) }
        for connection in choice.things { findings += try await look(at: connection, of: team) }
        return findings
            + Self.others(
                choice.rest,
                Phrase("console.doctor.connections"),
                Phrase(
                    "console.doctor.connections.rest",
                    ["limit": Self.connectionLimit],
                    count: choice.rest
                )
            )
    }

    private func look(at connection: AppleConnection, of team: TeamID) async throws -> [Finding] {
        let tests = ConnectionTests(database, context: context, apple: apple)
        let app = connection.appID
        guard let report = try await tests.test(app, in: team),
            let registration = try await tests.registration(of: app, in: team)
        else { return [Self.sealed(connection.keyID)] }
        let verdicts = ConnectionVerdict.all(
            of: report.tests,
            servicesID: connection.servicesID,
            isStandIn: apple.isStandIn
        )
        let found = verdicts.map { verdict in
            Finding(
                verdict.outcome == .accepted ? .good : .wrong,
                Phrase("console.doctor.client", ["client": verdict.tests.map(\.clientID.rawValue)]),
                verdict.meaning,
                advice: verdict.advice
            )
        }
        let others = Self.others(
            report.unasked,
            Phrase("console.doctor.bundle-ids", ["app": app.rawValue]),
            Phrase("console.apple.test.unasked", count: report.unasked)
        )
        return found + others + [await lookAtSheet(registration, of: team)]
    }

    private static func sealed(_ key: KeyID) -> Finding {
        Finding(
            .wrong,
            Phrase("console.doctor.key", ["key": key.rawValue]),
            Phrase("console.doctor.key.sealed"),
            advice: [Phrase("console.doctor.key.sealed.advice")]
        )
    }

    private func lookAtSheet(_ registration: AppleRegistration, of team: TeamID) async -> Finding {
        let url = context.returnURL(of: .apple, in: team)
        let client = registration.servicesID.rawValue
        let subject = Phrase("console.doctor.sheet", ["client": client])
        switch await apple.sheet(of: registration, returnURL: url) {
        case .opens: return Finding(.good, subject, Phrase("console.doctor.sheet.opens", ["url": url]))
        case .refuses(let status):
            return Finding(
                .wrong,
                subject,
                Phrase("console.doctor.sheet.refuses", ["status": String(status)]),
                advice: [
                    apple.isStandIn
                        ? Phrase("console.doctor.sheet.refuses.stand-in", ["url": url, "client": client])
                        : Phrase("console.doctor.sheet.refuses.advice", ["url": url, "client": client])
                ]
            )
        case .unknown(let reason):
            return Finding(.note, subject, Phrase("console.doctor.sheet.unknown", ["reason": reason]))
        }
    }
}
