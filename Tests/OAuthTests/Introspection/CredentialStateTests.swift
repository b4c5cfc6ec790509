import Bytes
import Domain
import Testing

@testable import TestTeams

/// The four words of Apple's devices, asked from a backend.
@Suite struct CredentialStateTests {
    @Test func `consent makes it authorized for the whole group, and its end revoked`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            #expect(try await engine.credentialState(of: sub) == "notFound")
            let tokens = try await engine.tokens()
            #expect(try await engine.credentialState(of: sub) == "authorized")
            #expect(try await engine.credentialState(of: sub, at: .sisterWeb) == "authorized")
            #expect(try await engine.credentialState(of: sub, at: .otherWeb) == "notFound")
            try await engine.revoke(tokens.refreshToken)
            #expect(try await engine.credentialState(of: sub) == "revoked")
            _ = try await engine.tokens()
            #expect(try await engine.credentialState(of: sub) == "authorized")
        }
    }

    @Test func `signing out leaves it authorized, suspension does not`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            _ = try await engine.tokens()
            try await engine.signOut(sub)
            #expect(try await engine.credentialState(of: sub) == "authorized")
            try engine.teams.admin("UPDATE users SET suspended_at = now() WHERE sub = $1", sub)
            #expect(try await engine.credentialState(of: sub) == "revoked")
        }
    }

    @Test func `nobody, garbage and another team's people are not found`() async throws {
        try await withEngine { engine in
            _ = try await engine.tokens()
            for sub in ["000000.00.0000", "nobody", "\u{1F34F}", String(repeating: "0", count: 300)] {
                #expect(try await engine.credentialState(of: sub) == "notFound", "\(sub)")
            }
            #expect(try await engine.credentialState(of: engine.ada.rawValue, in: .rival) == "notFound")
        }
    }

    @Test func `somebody who left stays revoked when their tokens are removed`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            _ = try await engine.tokens()
            let tokens = try await engine.tokens()
            try await engine.revoke(tokens.refreshToken)
            for table in ["refresh_tokens", "revoked_tokens"] {
                try engine.teams.admin("UPDATE \(table) SET revoked_at = revoked_at - interval '2 years'")
            }

            try engine.teams.admin("SELECT pippin_purge_refresh_tokens(100)")

            #expect(try engine.teams.admin("SELECT FROM refresh_tokens").count == 1)
            #expect(try await engine.credentialState(of: sub) == "revoked")
            #expect(try await engine.introspect(tokens.refreshToken) == ["active": false])
        }
    }
}
