import Core
import Crypto
import Platform
import Postgres
import Templates
import Testing

@testable import Registry

@Suite struct `Keys from Apple` {
    private static let pair = P256SigningKey.generate()
    private static let rsa = (try? RSASigningKey.generate(bits: 2048).pem) ?? ""
    private static let secp384r1 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDD8GNFFeMbbQhoXBd4S
        BesTlwDB7sAZvOuc4dmFNk5XQvTBkl5/LiHYViR/dIRB4KqhZANiAAQOAkIa/0fF
        C2dQ5Jg/4TvhpkSY9OlV3K9+v6mijGlO9bKoOguNGHIizmHGYkvYwvOY/f5hTKsp
        CZXjOayEzSwvpoWiQZN0jMQ2JkDwmeo+F65lhJV5qUIzrOI1yjABIuo=
        -----END PRIVATE KEY-----

        """

    @Test func `V57: are taken in, sealed, and can sign`() async throws {
        try await Registered.withApp { acme in
            let key = try await acme.bring("KEY1234567", Self.pair.pem)

            let signing = try #require(try await acme.appleKeys.signingKey(key.id, in: .acme))
            #expect(signing.pem == Self.pair.pem)
            #expect(key.fingerprint == Key.fingerprint(of: Self.pair.publicKey))
            let plain = try await acme.number(
                """
                SELECT count(*)::int FROM apple_keys
                WHERE team_id = \(TeamID.acme) AND position('PRIVATE KEY'::bytea IN private_key_sealed) > 0
                """)
            #expect(plain == 0)
            let event = try #require(try await acme.events().first)
            #expect(event.action == "apple_key.imported")
            #expect(!"\(event)".contains(Self.pair.pem.split(separator: "\n")[1]))
        }
    }

    @Test(arguments: [
        ("", "This is required"), ("AuthKey_KEY1234567.p8", "not the content of a .p8 file"),
        (String(pair.pem.dropLast(30)), "cut short"), (pair.publicKey.pem, "public key"),
        (pair.pem + pair.pem, "more than one key"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", "pass phrase"),
        ("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----", "converted"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "CERTIFICATE"), (secp384r1, "P-256"),
        (rsa, "RSA"),
    ]) func `are refused with the reason`(text: String, reason: String) throws {
        let problems = #expect(throws: FieldErrors.self) {
            _ = try AppleKey.Import(
                "KEY1234567", of: "com.acme.app", privateKey: text, ["name": "Acme", "teamID": "ABCDE12345"])
        }

        #expect(problems?.all.map(\.path.description) == ["privateKey"])
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let texts = try Translations(folder: root + "/Texts")
        #expect(problems?.all.first.map { texts.text($0.message).contains(reason) } == true)
    }

    @Test func `are refused with all that is wrong at once`() {
        let problems = #expect(throws: FieldErrors.self) {
            _ = try AppleKey.Import("key", of: "x", privateKey: "y", ["teamID": "abc"])
        }

        #expect(problems?.all.map(\.path.description) == ["id", "name", "teamID", "appID", "privateKey"])
    }

    @Test func `hang on primary App IDs, which says so when it is deleted`() async throws {
        try await Registered.withApp { acme in
            let key = try await acme.bring("KEY1234567", Self.pair.pem)
            let app = ClientID.named("com.acme.app")

            await #expect(throws: ValidationError.keyIDTaken(key.id)) { try await acme.bring() }
            #expect(try await acme.appIDs.consequences(of: app, in: .acme)?.appleKeys == [key.id])
            try await acme.appIDs.delete(app)
            #expect(try await acme.appleKeys.list(in: .acme).isEmpty)
        }
    }

    @Test func `are edited by whoever saves first`() async throws {
        try await Registered.withApp { acme in
            let key = try await acme.bring("KEY1234567", Self.pair.pem)
            var changed = key.settings
            changed.name = "Renamed"

            let saved = try await acme.update(key, to: changed)
            let late = try await acme.update(key, to: key.settings)

            guard case .saved(let current) = saved else { return #expect(saved == .notFound) }
            #expect(current.name == "Renamed" && current.version == 2)
            #expect(late == .conflict(current: current))
        }
    }
}
