import Bytes
import Domain
import Testing

@testable import Directory

@Suite struct `A count of a window` {
    private static let subject = LimitSubject.team("test")
    private static let window = Duration.seconds(900)

    private func add(_ environment: TestEnvironment, at now: Timestamp) async throws -> LimitStore.Count {
        try await LimitStore(environment.database).add(to: Self.subject, window: Self.window, in: .acme, at: now)
    }

    @Test func `V46: is over where a clock opened it that was a day ahead`() async throws {
        try await withEnvironment { environment in
            let ahead = Timestamp.noon + .seconds(86_400)
            for _ in 0..<5 { _ = try await add(environment, at: ahead) }
            let wait = try await LimitStore(environment.database).wait(
                for: [(Self.subject, 5)], window: Self.window, in: .acme, at: .noon)
            #expect(wait == nil)
            let count = try await add(environment, at: .noon)
            #expect(count.value == 1 && count.endsAt == Timestamp.noon + Self.window)
        }
    }

    @Test func `V46: goes on where the clocks of two processes differ by seconds`() async throws {
        try await withEnvironment { environment in
            _ = try await add(environment, at: Timestamp.noon + .seconds(30))
            let count = try await add(environment, at: .noon)
            #expect(count.value == 2 && count.endsAt == Timestamp.noon + .seconds(930))
        }
    }

    @Test func `V46: gets nothing back for what was counted in the one before`() async throws {
        try await withEnvironment { environment in
            let store = LimitStore(environment.database)
            func count(_ subject: LimitSubject, at now: Timestamp) async throws -> LimitStore.Count {
                try await store.add(to: subject, window: Self.window, in: .acme, at: now)
            }
            let other = LimitSubject.team("other")
            let later = Timestamp.noon + Self.window
            let earlier = try await count(Self.subject, at: .noon)
            for _ in 0..<3 { _ = try await count(Self.subject, at: later) }
            var late: [LimitStore.Count] = []
            for _ in 0..<2 { late.append(try await count(other, at: later)) }

            // What is nobody's any more, beside one that still is.
            try await store.release([earlier, late[0]], in: .acme)
            // Another team's of the same name and time.
            try await store.release([late[1]], in: .rival)

            let counts = try environment.admin("SELECT subject, count FROM limits ORDER BY subject")
            #expect(counts == [["other.team", "1"], ["test.team", "3"]])
        }
    }

    @Test func `V46: of wrong passwords locks nobody out for a day by a clock that was ahead`() async throws {
        try await withPasswords { passwords in
            let ahead = Timestamp.noon + .seconds(86_400)
            for _ in 0...GuessLimitStore.perAccount {
                _ = try await passwords.authenticate("ada@acme.example", "wrong password", at: ahead)
            }
            #expect(try await passwords.authenticate(at: ahead).word == "locked")
            #expect(try await passwords.authenticate(at: .noon).word == "success")
        }
    }
}
