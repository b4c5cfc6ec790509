import Accounts
import Core
import Crypto
import Platform
import Registry
import Testing

@Suite(.acme) struct `Connections to Apple in a registry file` {
    private static let pair = P256SigningKey.generate()
    private static let next = P256SigningKey.generate()

    private static func file(_ apple: String, app: String = "com.acme.app") -> String {
        Files.team(#""appIDs": [{"identifier": "\#(app)", "apple": \#(apple)}]"#)
    }

    private static func member(
        key: String = "KEY1234567", _ pair: P256SigningKey? = pair, services: String = "com.acme.siwa",
        team: String = "ABCDE12345"
    ) -> String {
        let secret = pair.map { #", "privateKeyPEM": "\#(Files.escaped($0.pem))""# } ?? ""
        return #"{"teamID": "\#(team)", "servicesID": "\#(services)", "keyID": "\#(key)"\#(secret)}"#
    }

    @Test func `import their key, are told in the plan, and say nothing twice`() async throws {
        let report = try await pippin.apply(Self.file(Self.member()))

        #expect(report.outcome == .applied)
        #expect(
            report.teams.first?.lines == [
                "+ key from Apple KEY1234567 of com.acme.app", "+ connection to Apple of com.acme.app",
            ])
        #expect(try await pippin.apply(Self.file(Self.member())).outcome == .unchanged)
        #expect(try await pippin.apply(Self.file(Self.member(nil))).outcome == .unchanged)
        #expect(try await pippin.apply(Files.whole) { $0.prunes = true }.outcome == .unchanged)
        let keys = AppleKeyStore(pippin.database, keyRing: pippin.keyRing)
        let id = try #require(KeyID(rawValue: "KEY1234567"))
        #expect(try await keys.signingKey(id, in: .acme)?.pem == Self.pair.pem)
    }

    @Test func `are exported without the private half, and applied again`() async throws {
        try await pippin.apply(Self.file(Self.member()))

        let text = try await pippin.export()

        #expect(text.contains(#""servicesID" : "com.acme.siwa""#) && !text.contains("PRIVATE KEY"))
        #expect(text.contains(#""privateKeyFile" : "AuthKey_KEY1234567.p8""#))
        #expect(try await pippin.apply(text).outcome == .unchanged)
        // Somewhere else the file must be there.
        try await Installation.with { other in
            #expect(try await other.apply(text).refusedFields == ["teams[0].appIDs[0].apple.privateKeyFile"])
            let file = try RegistryFile(parsing: Array(text.utf8)) { name in
                #expect(name == "AuthKey_KEY1234567.p8")
                return Array(Self.pair.pem.utf8)
            }
            #expect(try await other.provisioner.apply(file).outcome == .applied)
            #expect(try await other.export() == text)
        }
    }

    @Test func `change to another key, and with pruning lose the old one`() async throws {
        try await pippin.apply(Self.file(Self.member()))
        let changed = Self.file(
            Self.member(key: "KEY7654321", Self.next, services: "com.acme.other", team: "FGHIJ67890"))

        let report = try await pippin.apply(changed) { $0.prunes = true }

        #expect(
            report.teams.first?.lines == [
                "+ key from Apple KEY7654321 of com.acme.app",
                """
                ~ connection to Apple of com.acme.app: keyID "KEY1234567" → "KEY7654321", \
                servicesID "com.acme.siwa" → "com.acme.other"
                """, "- key from Apple KEY1234567 of com.acme.app",
            ])
        #expect(try pippin.value("SELECT string_agg(key_id, ' ') FROM apple_keys") == "KEY7654321")
        let moved = Self.file(Self.member(key: "KEY7654321", nil, services: "com.acme.other"))
        #expect(try await pippin.apply(moved).teams.first?.lines.count == 1)
        #expect(try pippin.value("SELECT apple_team_id FROM apple_keys") == "ABCDE12345")
    }

    @Test func `go by null and pruning, and by nothing else`() async throws {
        try await pippin.apply(Self.file(Self.member()))

        #expect(try await pippin.apply(Self.file("null")).outcome == .unchanged)
        let report = try await pippin.apply(Self.file("null")) { $0.prunes = true }

        #expect(report.outcome == .applied)
        #expect(try pippin.count("apple_connections") == 0)
        #expect(try pippin.count("apple_keys") == 0)
    }

    @Test func `that the console refuses are refused, each where it stands`() async throws {
        for (member, field) in [
            (Self.member(nil), "privateKeyPEM"), (Self.member(services: "com.acme.app"), "servicesID"),
            (Self.member(key: "short"), "keyID"), (Self.member(team: "short"), "teamID"),
            (#"{"servicesID": "com.acme.siwa", "keyID": "KEY1234567", "extra": 1}"#, "extra"),
        ] {
            let fields: [String]
            do { fields = try await pippin.apply(Self.file(member)).refusedFields } catch let found as FieldErrors {
                fields = found.all.map(\.path.description)
            }
            #expect(fields == ["teams[0].appIDs[0].apple.\(field)"], "\(member)")
            #expect(try pippin.count("apple_keys") == 0)
        }
    }

    @Test func `never share a Services ID`() async throws {
        let (first, second) = (Self.member(), Self.member(key: "KEY7654321", Self.next))
        let other = #"{"identifier": "com.acme.other", "description": "Other", "apple": \#(second)}"#
        let app = #"{"identifier": "com.acme.app", "apple": \#(first)}"#

        let both = try await pippin.apply(Files.team(#""appIDs": [\#(app), \#(other)]"#))
        #expect(both.refusedFields == ["teams[0].appIDs[1].apple.servicesID"])
        try await pippin.apply(Self.file(first))
        let alone = try await pippin.apply(Files.team(#""appIDs": [\#(other)]"#))
        #expect(alone.refusedFields == ["teams[0].appIDs[0].apple.servicesID"])
    }

    @Test func `keep the private half of their key`() async throws {
        try await pippin.apply(Self.file(Self.member()))

        let report = try await pippin.apply(Self.file(Self.member(Self.next)))

        #expect(report.refusedFields == ["teams[0].appIDs[0].apple.privateKeyPEM"])
    }
}
