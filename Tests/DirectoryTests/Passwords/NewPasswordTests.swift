import Bytes
import Crypto
import Domain
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Directory

/// New passwords are judged by those alone who have been counted; the compiler asks each caller for it.
@Suite struct `Leave to judge a new password` {
    private static let ada = NewPasswords.Chooser.person(Subject(hexadecimal: "ada"))

    private func isAdmitted(
        _ chooser: NewPasswords.Chooser, from ip: String = Origin.test.ip, in team: TeamID = .acme,
        at now: Timestamp = .noon, _ passwords: NewPasswords
    ) async throws -> Bool {
        let origin = Origin.test(at: ip)
        switch try await passwords.admit(chooser, in: team, from: origin, at: now) {
        case .admitted: return true
        case .tooMany(let wait):
            #expect(wait > .zero && wait <= NewPasswords.window)
            return false
        }
    }

    private func withNewPasswords(_ body: @escaping @Sendable (TestEnvironment, NewPasswords) async throws -> Void)
        async throws
    {
        let pool = try BlockingPool(name: "hash", threads: 1, queueLimit: 1)
        defer { pool.stop() }
        try await withEnvironment { environment in
            let hasher = PasswordHasher(pool: pool, judges: pool, argon2id: TestEnvironment.cheap)
            try await body(environment, NewPasswords(environment.database, hasher: hasher))
        }
    }

    @Test func `V42, V43: is given to one person or link so often, however many ask at once`() async throws {
        try await withNewPasswords { _, passwords in
            for chooser in [Self.ada, .holder(LinkToken(random: .system))] {
                let admitted = try await race(60) { number in
                    try await isAdmitted(chooser, from: "192.0.2.\(number)", passwords)
                }
                #expect(admitted.count { $0 } == NewPasswords.perChooser)
                let later = Timestamp.noon + NewPasswords.window
                #expect(try await isAdmitted(chooser, at: later, passwords))
            }
            // Another link, and somebody else at another team, have their own.
            #expect(try await isAdmitted(.holder(LinkToken(random: .system)), passwords))
            #expect(try await isAdmitted(Self.ada, in: .rival, passwords))
        }
    }

    @Test func `V42, V43: is given to one network and one site so often, whoever chooses`() async throws {
        try await withNewPasswords { environment, passwords in
            for number in 0..<NewPasswords.perNetwork {
                let person = NewPasswords.Chooser.person(Subject(hexadecimal: "\(number)"))
                #expect(try await isAdmitted(person, passwords))
            }
            #expect(try await !isAdmitted(Self.ada, passwords))
            #expect(try await !isAdmitted(.stranger, passwords))
            #expect(try await isAdmitted(.stranger, from: "198.51.100.7", passwords))

            #expect(try await isAdmitted(.stranger, from: "2001:db8:1:1::1", passwords))
            try environment.setCounted("new-password.site.%", to: 4800)
            #expect(try await !isAdmitted(.stranger, from: "2001:db8:1:2::1", passwords))
            #expect(try await isAdmitted(.stranger, from: "2001:db8:2:1::1", passwords))
        }
    }

    @Test func `V43: leaves places for others, however many one network sends, at whatever teams`() async throws {
        let judges = try BlockingPool(name: "judge", threads: 1, queueLimit: PasswordHasher.judgePlaces)
        defer { judges.stop() }
        try await withEnvironment { environment in
            let hasher = PasswordHasher(pool: judges, judges: judges, argon2id: TestEnvironment.cheap)
            let passwords = NewPasswords(environment.database, hasher: hasher)
            let latch = try Latch()
            let held = Task { try await judges.run { latch.wait() } }
            try await waitUntil { judges.callCount > 0 }
            @Sendable func judge(_ ip: String, in team: TeamID) async -> Bool {
                let rule = PasswordRule(in: team, email: nil)
                let origin = Origin.test(at: ip)
                do {
                    switch try await passwords.admit(.stranger, in: team, from: origin, at: .noon) {
                    case .admitted(let admission):
                        _ = try await passwords.judge("a text", by: rule, for: team, with: admission)
                        return true
                    case .tooMany: return false
                    }
                } catch { return false }
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<(PasswordHasher.judgePlaces / 2) {
                    group.addTask { await judge("192.0.2.1", in: number % 2 == 0 ? TeamID.acme : TeamID.rival) }
                    try await waitUntil { judges.waitingCount > number }
                }
                #expect(await !judge("192.0.2.1", in: .rival))
                group.addTask { await judge("192.0.2.2", in: .rival) }
                try await waitUntil { judges.waitingCount > PasswordHasher.judgePlaces / 2 }
                latch.open()
                for try await isJudged in group { #expect(isJudged) }
            }
            try await held.value
        }
    }
}
