import Bytes
import Crypto
import Domain
import TestAuthenticator
import Testing

@testable import Directory

@Suite struct `All factors of a person` {
    @Test func `are taken away together, with the sessions`() async throws {
        try await withFactors { factors in
            var key = try factors.authenticator()
            try await factors.register(&key)
            try await factors.enrolTOTP()
            let token = try await factors.world.sessions.begin(
                for: factors.ada,
                in: World.acme,
                from: World.origin
            )
            func reset(in team: TeamID) async throws -> Bool {
                try await factors.factors.reset(
                    of: factors.ada,
                    reason: "lost the phone",
                    in: team,
                    by: .member(factors.ben),
                    from: World.origin
                )
            }

            #expect(try await !reset(in: World.rival))
            #expect(try await reset(in: World.acme))

            #expect(try await factors.factors.enrolled(of: factors.ada, in: World.acme) == .none)
            #expect(try await factors.world.sessions.find(token, in: World.acme) == nil)
            #expect(try await !reset(in: World.acme))
            #expect(try factors.world.actions().last == "factors.reset")
        }
    }

    @Test func `go with the person`() async throws {
        try await withFactors { factors in
            var key = try factors.authenticator()
            try await factors.register(&key)
            try await factors.enrolTOTP()
            try factors.world.admin("DELETE FROM users WHERE sub = $1", factors.ada.rawValue)

            for table in ["totp_secrets", "passkeys", "passkey_handles", "recovery_codes"] {
                #expect(try factors.world.count(table, of: factors.ada) == 0)
            }
        }
    }
}

@Suite struct `A session` {
    @Test func `knows how its person proved who they are`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )
            let later = World.noon + .seconds(60)

            let before = try await world.sessions.find(token, in: World.acme, at: World.noon)
            let new = try #require(
                try await world.sessions.raise(token, by: .totp, in: World.acme, at: later)
            )
            let after = try await world.sessions.find(new, in: World.acme, at: later)

            #expect(before?.methods == [.password] && before?.provedAt == World.noon)
            #expect(after?.methods == [.password, .totp] && after?.provedAt == later)
            #expect(after?.startedAt == World.noon)
            #expect(new.text != token.text)
            #expect(try await world.sessions.find(token, in: World.acme, at: later) == nil)
            #expect(try await world.sessions.raise(token, by: .totp, in: World.acme, at: later) == nil)
            #expect(try await world.sessions.raise(new, by: .totp, in: World.rival, at: later) == nil)
        }
    }
}
