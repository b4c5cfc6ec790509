import Core
import Crypto
import Platform
import TestAuthenticator
import Testing

@testable import Directory

@Suite struct `All factors of a person` {
    @Test func `are taken away together, with the sessions`() async throws {
        try await withFactors { factors in
            _ = try await factors.key()
            try await factors.enrolTOTP()
            let token = try await factors.environment.sessions.begin(for: factors.ada, in: .acme, from: .test)
            func reset(in team: TeamID) async throws -> Bool {
                try await factors.factors.reset(
                    of: factors.ada, reason: "lost the phone", in: team, by: .member(factors.ben), from: .test)
            }

            #expect(try await !reset(in: .rival))
            #expect(try await reset(in: .acme))

            #expect(try await factors.enrolled() == .none)
            #expect(try await factors.environment.sessions.find(token, in: .acme) == nil)
            #expect(try await !reset(in: .acme))
            #expect(try factors.environment.actions().last == "factors.reset")
        }
    }

    @Test func `go with the person`() async throws {
        try await withFactors { factors in
            _ = try await factors.key()
            try await factors.enrolTOTP()
            try factors.environment.removePerson(factors.ada)

            for table in ["totp_secrets", "passkeys", "passkey_handles", "recovery_codes"] {
                #expect(try factors.environment.count(table, of: factors.ada) == 0)
            }
        }
    }
}

@Suite struct `A session` {
    @Test func `knows how its person proved who they are`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test, at: .noon)
            let later = Timestamp.noon + .seconds(60)

            let before = try await environment.sessions.find(token, in: .acme, at: .noon)
            let new = try #require(try await environment.sessions.stepUp(token, by: .totp, in: .acme, at: later))
            let after = try await environment.sessions.find(new, in: .acme, at: later)

            #expect(before?.methods == [.password] && before?.provedAt == Timestamp.noon)
            #expect(after?.methods == [.password, .totp] && after?.provedAt == later)
            #expect(after?.startedAt == Timestamp.noon)
            #expect(new.text != token.text)
            #expect(try await environment.sessions.find(token, in: .acme, at: later) == nil)
            #expect(try await environment.sessions.stepUp(token, by: .totp, in: .acme, at: later) == nil)
            #expect(try await environment.sessions.stepUp(new, by: .totp, in: .rival, at: later) == nil)
        }
    }
}
