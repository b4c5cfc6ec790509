import Crypto
import Domain
import Postgres
import Testing

@testable import Registry

/// What a registry holds at most, and whose it is.
@Suite struct `The stores of a registry` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))

    @discardableResult private static func bring(_ id: String, _ teams: Registered, in team: TeamID = team) async throws
        -> AppleKey
    {
        let new = try AppleKey.Import(
            parsing: AppleKey.Input(
                id: id, appleTeamID: "ABCDE12345", name: "Acme at Apple", appID: "com.acme.app",
                privateKey: P256SigningKey.generate().pem))
        return try await teams.database.transaction(in: team) { transaction in
            try await teams.appleKeys.create(new, in: team, by: actor, from: .local, transaction)
        }
    }

    private static func issue(_ teams: Registered, _ name: String = "CI") async throws -> Key {
        try await teams.keys.issue(Key.Issue(name: name, appID: "com.acme.app"), in: team, by: actor, from: .local)
    }

    private static func register(_ id: String, _ teams: Registered, in team: TeamID) async throws -> Key {
        let registration = try Key.Registration(
            id: id, name: "CI", appID: "com.acme.app", publicKeyPEM: P256SigningKey.generate().publicKey.pem)
        return try await teams.database.transaction(in: team) { transaction in
            try await teams.keys.register(registration, in: team, by: actor, from: .local, transaction)
        }
    }

    private static func add(_ domain: String, _ teams: Registered, in team: TeamID = team) async throws {
        let source = try EmailSource(domain: domain)
        _ = try await teams.emailSources.create(.init(source: source), in: team, by: actor, from: .local)
    }

    @Test func `V46: hold exactly as much as they may, however many come at once`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let limits:
                [(
                    attempts: Int, left: Int, RegistryLimit, of: String, in: String,
                    @Sendable (Int) async throws -> Void
                )] = [
                    (50, 2, .activeKeys, "com.acme.app", "keys", { _ = try await Self.issue(acme, "Key \($0)") }),
                    (
                        50, 2, .appleKeys, "com.acme.app", "apple_keys",
                        { try await Self.bring("KEY\(1_000_000 + $0)", acme) }
                    ),
                    (
                        50, 5, .serviceIDs, "com.acme.app", "service_ids",
                        { try await acme.makeService("com.acme.web\($0)") }
                    ),
                    (
                        110, 100, .emailSources, "ACMETEAM01", "email_sources",
                        { try await Self.add("s\($0).example", acme) }
                    ),
                ]
            for (attempts, left, limit, owner, table, attempt) in limits {
                let race = await Race.of(attempts, attempt)

                #expect((race.successes, race.failures) == (left, []), "\(limit)")
                let refusals = Array(repeating: ValidationError.limitReached(limit, of: owner), count: attempts - left)
                #expect(race.refusals == refusals, "\(limit)")
                #expect(try acme.count(table, in: .acme) == left, "\(limit)")
            }
            #expect(try acme.count("client_identifiers", in: .acme) == 6)
        }
    }

    @Test func `show and change nothing of another team`() async throws {
        try await Registered.with { teams in
            let (rival, actor) = (TeamID.rival, Self.actor)
            let app = try await teams.makeApp()
            let service = try await teams.makeService()
            let (key, appleKey) = (try await Self.issue(teams), try await Self.bring("KEY1234567", teams))
            try await Self.add("acme.example", teams)
            let name = DomainName(stored: "acme.example")
            let domain = try await teams.domains.find("acme.example", in: Self.team)
            let updateAppleKey = try await teams.database.transaction(in: rival) { transaction in
                try await teams.appleKeys.update(
                    to: appleKey.draft, version: 1, in: rival, by: actor, from: .local, transaction)
            }
            let deletedAppleKey = try await teams.database.transaction(in: rival) { transaction in
                try await teams.appleKeys.delete(
                    appleKey.id, reason: "", in: rival, by: actor, from: .local, transaction)
            }
            let source = try EmailSource(domain: "acme.example")

            func expect(_ what: String, _ isNothing: Bool) { #expect(isNothing, "\(what)") }
            expect("App ID", try await teams.appIDs.find(app.identifier, in: rival) == nil)
            expect("App IDs", try await teams.appIDs.list(in: rival).total == 0)
            expect("consequences", try await teams.appIDs.consequences(of: app.identifier, in: rival) == nil)
            expect(
                "change of an App ID",
                try await teams.appIDs.update(to: app.draft, version: 1, in: rival, by: actor, from: .local)
                    == .notFound)
            expect(
                "deletion of an App ID",
                try await teams.appIDs.delete(app.identifier, reason: "", in: rival, by: actor, from: .local) == nil)
            expect("Service ID", try await teams.serviceIDs.find(service.identifier, in: rival) == nil)
            expect("Service IDs", try await teams.serviceIDs.list(in: rival).total == 0)
            expect(
                "change of a Service ID",
                try await teams.serviceIDs.update(to: service.draft, version: 1, in: rival, by: actor, from: .local)
                    == .notFound)
            expect(
                "deletion of a Service ID",
                try await teams.serviceIDs.delete(service.identifier, reason: "", in: rival, by: actor, from: .local)
                    == nil)
            expect("key", try await teams.keys.find(key.id, in: rival) == nil)
            expect("keys", try await teams.keys.list(in: rival).total == 0)
            expect(
                "revocation of a key",
                try await teams.keys.revoke(key.id, reason: "", in: rival, by: actor, from: .local) == nil)
            expect("key from Apple", try await teams.appleKeys.find(appleKey.id, in: rival) == nil)
            expect("keys from Apple", try await teams.appleKeys.list(in: rival).isEmpty)
            expect("private half", try await teams.appleKeys.signingKey(appleKey.id, in: rival) == nil)
            expect("change of a key from Apple", updateAppleKey == .notFound)
            expect("deletion of a key from Apple", deletedAppleKey == nil)
            expect("domain", try await teams.domains.find("acme.example", in: rival) == nil)
            expect("domains due", try await teams.domains.takeDue(limit: 10, in: rival).isEmpty)
            expect("domains of a Service ID", try await teams.domains.list(of: service.identifier, in: rival).isEmpty)
            expect(
                "check of a domain",
                try await teams.domains.note(
                    DomainFinding(.served, status: 200), of: name, in: rival, by: actor, from: .local) == nil)
            expect("e-mail sources", try await teams.emailSources.list(in: rival).isEmpty)
            expect(
                "deletion of an e-mail source",
                try await teams.emailSources.delete(source, in: rival, by: actor, from: .local) == false)
            guard case .notFound = try await teams.keys.download(key.id, in: rival, by: actor, from: .local) else {
                return #expect(Bool(false), "downloaded")
            }
            let unknown = ValidationError.unknownAppID(app.identifier)
            await #expect(throws: unknown) { try await Self.register("RIVALKEY01", teams, in: rival) }
            await #expect(throws: unknown) { try await Self.bring("KEY1234567", teams, in: rival) }

            #expect(try await teams.appIDs.find(app.identifier, in: Self.team) == app)
            #expect(try await teams.serviceIDs.find(service.identifier, in: Self.team) == service)
            #expect(try await teams.keys.find(key.id, in: Self.team) == key)
            #expect(try await teams.domains.find("acme.example", in: Self.team) == domain)

            // The same names in another team are others.
            try await teams.makeApp(in: rival)
            try await teams.makeService(in: rival)
            try await Self.add("acme.example", teams, in: rival)
            #expect(try await teams.domains.find("acme.example", in: rival)?.file != domain?.file)
            #expect(try await teams.emailSources.list(in: Self.team).count == 1)
            // A sealed half moved to another team does not open there.
            try await Self.bring("KEY1234567", teams, in: rival)
            #expect(try await teams.appleKeys.signingKey(appleKey.id, in: rival) != nil)
        }
    }
}
