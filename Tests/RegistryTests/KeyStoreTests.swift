import Audit
import Bytes
import Crypto
import Domain
import Postgres
import Registry
import Testing

@Suite struct `Keys` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))

    private static func issue(_ acme: Registered, _ name: String = "CI") async throws -> Key {
        try await acme.keys.issue(Key.Issue(name: name, appID: "com.acme.app"), in: team, by: actor, from: .local)
    }

    /// Notes a use as the engine does.
    private static func use(_ key: Key, at moment: Timestamp, _ acme: Registered) async throws {
        try await acme.database.query(
            "INSERT INTO key_uses (team_id, key_id, last_used_at) VALUES (\(team), \(key.id), \(moment))", in: team)
    }

    private static func registration(_ id: String, _ key: P256SigningKey = .generate()) throws -> Key.Registration {
        try Key.Registration(id: id, name: "CI", appID: "com.acme.app", publicKeyPEM: key.publicKey.pem)
    }

    private static func register(_ registration: Key.Registration, _ acme: Registered, in team: TeamID = team)
        async throws -> Key
    {
        try await acme.database.transaction(in: team) { transaction in
            try await acme.keys.register(registration, in: team, by: actor, from: .local, transaction)
        }
    }

    @Test func `that are issued can be downloaded once, and fit their public half`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let key = try await Self.issue(acme)
            #expect(key.privateHalf == .awaitingDownload)

            let first = try await acme.keys.download(key.id, in: Self.team, by: Self.actor, from: .local)
            let second = try await acme.keys.download(key.id, in: Self.team, by: Self.actor, from: .local)

            guard case .file(let name, let pem) = first else { return #expect(Bool(false), "\(first)") }
            #expect(name == "AuthKey_\(key.id).p8")
            #expect(try P256SigningKey(pem: pem).publicKey.pem == key.publicKeyPEM)
            guard case .gone = second else { return #expect(Bool(false), "\(second)") }
            let now = try #require(try await acme.keys.find(key.id, in: Self.team))
            guard case .downloaded = now.privateHalf else { return #expect(Bool(false), "\(now)") }
            let events = try await acme.events()
            #expect(events.map(\.action) == ["key.downloaded", "key.issued", "app_id.created"])
            #expect(events.allSatisfy { $0.after?.contains("PRIVATE") != true })
        }
    }

    @Test func `are downloaded once by twenty clicks at the same time`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let id = try await Self.issue(acme).id

            let race = await Race.of(20) { _ in
                let download = try await acme.keys.download(id, in: Self.team, by: Self.actor, from: .local)
                if case .file = download { return }
                throw ValidationError.missing
            }

            #expect((race.successes, race.refusals.count, race.failures) == (1, 19, []))
            #expect(try await acme.number("SELECT count(*) FROM keys WHERE private_key_sealed IS NOT NULL") == 0)
        }
    }

    @Test func `make room for the next when they are revoked, and end for good`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let first = try await Self.issue(acme)
            _ = try await Self.issue(acme)

            let revoked = try await acme.keys.revoke(
                first.id, reason: "leaked", in: Self.team, by: Self.actor, from: .local)
            _ = try await Self.issue(acme)
            let download = try await acme.keys.download(first.id, in: Self.team, by: Self.actor, from: .local)

            #expect(revoked?.isActive == false)
            guard case .gone = download else { return #expect(Bool(false), "\(download)") }
            let again = try await acme.keys.revoke(
                first.id, reason: "again", in: Self.team, by: Self.actor, from: .local)
            #expect(again == revoked)
            let revocations = try await acme.events().filter { $0.action == "key.revoked" }
            #expect(revocations.map(\.after) == [#"{"reason": "leaked"}"#])
        }
    }

    @Test func `made elsewhere are registered by their public half`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let registration = try Self.registration("ACMEKEY001")

            let key = try await Self.register(registration, acme)

            #expect((key.publicKeyPEM, key.fingerprint) == (registration.publicKeyPEM, registration.fingerprint))
            #expect(key.privateHalf == .elsewhere)
            let taken = await #expect(throws: ValidationError.self) {
                try await Self.register(Self.registration("ACMEKEY001"), acme)
            }
            #expect(taken == .keyIDTaken(registration.id))
        }
    }

    @Test func `hang on primary App IDs of the team only`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp("com.acme.main")
            let draft = try AppID.Draft(
                parsing: AppID.Input(identifier: "com.acme.app", description: "A", primary: "com.acme.main"),
                policy: .hostNames)
            let unknown = await #expect(throws: ValidationError.self) { try await Self.issue(acme) }
            _ = try await acme.appIDs.create(draft, in: Self.team, by: Self.actor, from: .local)
            let grouped = await #expect(throws: ValidationError.self) { try await Self.issue(acme) }

            #expect(unknown == .unknownAppID(draft.identifier))
            #expect(grouped == .groupedAppID(draft.identifier, under: try .named("com.acme.main")))
        }
    }

    @Test func `stay where they are when the master key is another`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let key = try await Self.issue(acme)
            let other = KeyStore(acme.database, keyRing: KeyRing(current: try MasterKey.generate(id: "other")))

            let unreadable = try await other.download(key.id, in: Self.team, by: Self.actor, from: .local)
            let file = try await acme.keys.download(key.id, in: Self.team, by: Self.actor, from: .local)

            guard case .unreadable = unreadable else { return #expect(Bool(false), "\(unreadable)") }
            guard case .file = file else { return #expect(Bool(false), "\(file)") }
        }
    }

    @Test func `are listed newest first with their last use`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let (old, new) = (try await Self.issue(acme, "Old"), try await Self.issue(acme, "New"))
            let noon = Timestamp(seconds: 1_800_000_000)
            try await Self.use(old, at: noon, acme)

            let first = try await acme.keys.list(PageQuery(limit: 1), in: Self.team)
            let second = try await acme.keys.list(PageQuery(after: first.next, limit: 1), in: Self.team)

            #expect((first.items.map(\.id), first.total) == ([new.id], 2))
            #expect((second.items.map(\.id), second.next) == ([old.id], nil))
            #expect(second.items.first?.lastUsedAt == noon)
            #expect(try await acme.keys.list(PageQuery(search: "ol"), in: Self.team).items.map(\.id) == [old.id])
            #expect(try await acme.keys.find(old.id, in: Self.team)?.lastUsedAt == noon)
        }
    }
}
