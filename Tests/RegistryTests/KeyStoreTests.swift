import Core
import Crypto
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@Suite struct `Keys` {
    /// Notes a use as the engine does.
    private static func use(_ key: Key, at moment: Timestamp, _ acme: Registered) async throws {
        try await acme.database.query(
            "INSERT INTO key_uses (team_id, key_id, last_used_at) VALUES (\(TeamID.acme), \(key.id), \(moment))",
            in: .acme)
    }

    private static func registration(_ id: String, _ key: P256SigningKey = .generate()) throws -> Key.Registration {
        try Key.Registration(id: id, name: "CI", appID: "com.acme.app", publicKeyPEM: key.publicKey.pem)
    }

    @Test func `that are issued can be downloaded once, and fit their public half`() async throws {
        try await Registered.withApp { acme in
            let key = try await acme.keys.issue()
            #expect(key.privateHalf == .awaitingDownload)

            let first = try await acme.keys.download(key.id)
            let second = try await acme.keys.download(key.id)

            guard case .file(let name, let pem) = first else { return #expect(Bool(false), "\(first)") }
            #expect(name == "AuthKey_\(key.id).p8")
            #expect(try P256SigningKey(pem: pem).publicKey.pem == key.publicKeyPEM)
            guard case .gone = second else { return #expect(Bool(false), "\(second)") }
            let now = try #require(try await acme.keys.find(key.id, in: .acme))
            guard case .downloaded = now.privateHalf else { return #expect(Bool(false), "\(now)") }
            let events = try await acme.events()
            #expect(events.map(\.action) == ["key.downloaded", "key.issued", "app_id.created"])
            #expect(events.allSatisfy { $0.after?.contains("PRIVATE") != true })
        }
    }

    @Test func `make room for the next when they are revoked, and end for good`() async throws {
        try await Registered.withApp { acme in
            let first = try await acme.keys.issue()
            try await acme.keys.issue()

            let revoked = try await acme.keys.revoke(first.id, reason: "leaked")
            try await acme.keys.issue()
            let download = try await acme.keys.download(first.id)

            #expect(revoked?.isActive == false)
            guard case .gone = download else { return #expect(Bool(false), "\(download)") }
            let again = try await acme.keys.revoke(first.id, reason: "again")
            #expect(again == revoked)
            let revocations = try await acme.events().filter { $0.action == "key.revoked" }
            #expect(revocations.map(\.after) == [#"{"reason": "leaked"}"#])
        }
    }

    @Test func `made elsewhere are registered by their public half`() async throws {
        try await Registered.withApp { acme in
            let registration = try Self.registration("ACMEKEY001")

            let key = try await acme.register(registration)

            #expect((key.publicKeyPEM, key.fingerprint) == (registration.publicKeyPEM, registration.fingerprint))
            #expect(key.privateHalf == .elsewhere)
            let again = try Self.registration("ACMEKEY001")
            await #expect(throws: ValidationError.keyIDTaken(registration.id)) { try await acme.register(again) }
        }
    }

    @Test func `hang on primary App IDs of the team only`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp("com.acme.main")
            let draft = try AppID.Draft(
                "com.acme.app", ["description": "A", "primary": "com.acme.main"], policy: .hostNames)
            let app = draft.identifier
            await #expect(throws: ValidationError.unknownAppID(app)) { try await acme.keys.issue() }
            try await acme.appIDs.create(draft)
            await #expect(throws: ValidationError.groupedAppID(app, under: .named("com.acme.main"))) {
                try await acme.keys.issue()
            }
        }
    }

    @Test func `stay where they are when the master key is another`() async throws {
        try await Registered.withApp { acme in
            let key = try await acme.keys.issue()
            let other = KeyStore(acme.database, keyRing: KeyRing(current: try MasterKey.generate(id: "other")))

            let unreadable = try await other.download(key.id)
            let file = try await acme.keys.download(key.id)

            guard case .unreadable = unreadable else { return #expect(Bool(false), "\(unreadable)") }
            guard case .file = file else { return #expect(Bool(false), "\(file)") }
        }
    }

    @Test func `are listed newest first with their last use`() async throws {
        try await Registered.withApp { acme in
            let (old, new) = (try await acme.keys.issue("Old"), try await acme.keys.issue("New"))
            let noon = Timestamp(seconds: 1_800_000_000)
            try await Self.use(old, at: noon, acme)

            let first = try await acme.keys.list(PageQuery(limit: 1), in: .acme)
            let second = try await acme.keys.list(PageQuery(after: first.next, limit: 1), in: .acme)

            #expect((first.items.map(\.id), first.total) == ([new.id], 2))
            #expect((second.items.map(\.id), second.next) == ([old.id], nil))
            #expect(second.items.first?.lastUsedAt == noon)
            #expect(try await acme.keys.list(PageQuery(search: "ol"), in: .acme).items.map(\.id) == [old.id])
            #expect(try await acme.keys.find(old.id, in: .acme)?.lastUsedAt == noon)
        }
    }
}
