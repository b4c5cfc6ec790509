import Platform
import Postgres
import Testing

@testable import Registry

@Suite struct `Domains` {
    private static let served = DomainFinding(.served, status: 200)
    private static let missing = DomainFinding(.otherStatus, status: 404, detail: "gone")

    private func domain(_ teams: Registered) async throws -> RegisteredDomain? {
        try await teams.domains.find("acme.example", in: .acme)
    }

    @Test func `come with the first Service ID that names them and go with the last`() async throws {
        try await Registered.withApp { acme in
            try await acme.makeService("com.acme.web")
            let first = try #require(try await domain(acme))
            try await acme.makeService("com.acme.shop")
            try await acme.serviceIDs.delete(.named("com.acme.web"))

            let second = try #require(try await domain(acme))
            #expect(second.file == first.file && first.file.content.utf8.count == 90)
            #expect(second.serviceIDs == [.named("com.acme.shop")])
            #expect(try await acme.domains.list(of: .named("com.acme.shop"), in: .acme) == [second])

            let app = ClientID.named("com.acme.app")
            try await acme.appIDs.delete(app)
            #expect(try await domain(acme) == nil)

            try await acme.makeApp()
            try await acme.makeService()
            #expect(try await domain(acme)?.file != first.file)
        }
    }

    @Test func `are verified by one right answer, which the log tells once`() async throws {
        try await Registered.withService { acme in
            #expect(try await domain(acme)?.state == .pending)

            #expect(try await acme.domains.note(Self.missing)?.state == .unverified)
            let verified = try #require(try await acme.domains.note(Self.served))
            try await acme.domains.note(Self.served)

            #expect(verified.state == .verified && verified.finding == Self.served)
            #expect(verified.checkedAt != nil)
            #expect(
                try await acme.events().filter { $0.action.hasPrefix("domain.") }.map(\.action) == ["domain.verified"])
        }
    }

    @Test func `lapse only when the file has been away for days`() async throws {
        try await Registered.withService { acme in
            try await acme.domains.note(Self.served)

            let failing = try #require(try await acme.domains.note(Self.missing))
            guard case .failing = failing.state else { return #expect(Bool(false), "\(failing.state)") }
            #expect(failing.isVerified && failing.finding == Self.missing)

            try await acme.database.query(
                """
                UPDATE domains SET failed_since = now() - interval '73 hours' WHERE team_id = \(TeamID.acme)
                """, in: .acme)
            #expect(try await acme.domains.note(Self.missing)?.state == .unverified)
            #expect(try await acme.events().first?.action == "domain.lapsed")
            #expect(try await acme.domains.note(Self.served)?.state == .verified)
        }
    }

    @Test func `are due at once, and an hour or a day after a check`() async throws {
        try await Registered.withService { acme in
            let due: @Sendable () async throws -> Int = { try await acme.domains.takeDue(limit: 10, in: .acme).count }
            let minutes: @Sendable () async throws -> Int = {
                try await acme.number(
                    """
                    SELECT round(extract(epoch FROM check_due_at - checked_at) / 60)::int FROM domains
                    WHERE team_id = \(TeamID.acme)
                    """)
            }

            #expect(try await due() == 1)
            try await acme.domains.note(Self.missing)
            #expect(try await due() == 0)
            #expect(try await minutes() == 60)
            try await acme.domains.note(Self.served)
            #expect(try await minutes() == 24 * 60)
        }
    }
}
