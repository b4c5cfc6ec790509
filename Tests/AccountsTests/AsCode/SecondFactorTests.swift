import Accounts
import Core
import Crypto
import Directory
import Platform
import Registry
import Testing

@Suite(.installation) struct `A registry file with second factors` {
    private static let first = "JBSWY3DPEHPK3PXP"
    private static let second = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    private static func file(_ secret: String) -> String {
        Files.team(
            """
            "secondFactor": "required",
            "users": [{"email": "ada@acme.example", "password": "correct horse battery", "totpSecret": "\(secret)"}]
            """)
    }

    private func takes(_ secret: String) async throws -> Bool {
        let subject = try #require(Subject(rawValue: try pippin.value("SELECT sub FROM users") ?? ""))
        let now = Timestamp.now()
        let step = TOTP.step(atSeconds: now.seconds)
        return try await FactorSignIn(pippin.database, keyRing: pippin.keyRing).prove(
            .totp(TOTP.code(of: try #require(TOTPSecret(text: secret)), step: step)), of: subject, interaction: secret,
            in: .acme, from: .local, at: now) == .proved
    }

    @Test func `gives people their apps, and the team its rule`() async throws {
        let report = try await pippin.apply(Self.file(Self.first))

        #expect(report.outcome == .applied)
        #expect(try pippin.value("SELECT second_factor FROM teams WHERE NOT is_system") == "required")
        #expect(try await takes(Self.first))
        #expect(try await pippin.export().contains("totpSecret") == false)
        #expect(try await pippin.apply(Self.file(Self.first)).outcome == .unchanged)
    }

    @Test func `V63: lets Apple's keys stand beside Apple's issuer only where the command says so`() async throws {
        func kept() throws -> String? { try pippin.value("SELECT apple_keys FROM teams WHERE NOT is_system") }
        func apply(_ setting: String, accepting: Bool = false) async throws -> ApplyReport {
            try await pippin.apply(Files.team("\"appleKeys\": \"\(setting)\"")) { $0.acceptsAppleTokens = accepting }
        }
        // For a new team, and for one that is there.
        for _ in 0..<2 {
            let refused = try await apply("always").outcome
            var fields: [String] = []
            if case .refused(let problems) = refused { fields = problems.all.map(\.path.description) }
            #expect(fields == ["teams[0].appleKeys"])
            _ = try await apply("off")
            #expect(try kept() == "off")
        }
        let report = try await apply("always", accepting: true)
        #expect(report.teams.map(\.lines) == [["~ team ACMETEAM01: appleKeys \"off\" → \"always\""]])
        // What stands is not asked about again, whatever else the file changes.
        #expect(try await apply("always").outcome == .unchanged)
        #expect(try await pippin.export().contains("\"appleKeys\" : \"always\""))
        #expect(try await apply("automatic").outcome == .applied)
        #expect(try kept() == "automatic")
    }

    @Test func `changes an app only when credentials are reset`() async throws {
        try await pippin.apply(Self.file(Self.first))

        #expect(try await pippin.apply(Self.file(Self.second)).outcome == .unchanged)
        #expect(try await !takes(Self.second))
        let report = try await pippin.apply(Self.file(Self.second)) { $0.resetsCredentials = true }

        #expect(report.teams.map(\.lines) == [["~ user ada@acme.example: factor replaced"]])
        #expect(try await takes(Self.second))
        #expect(try await pippin.apply(Self.file(Self.second)) { $0.resetsCredentials = true }.outcome == .unchanged)
    }
}
