import Audit
import Domain
import Postgres
import Testing

@testable import Registry

@Suite struct `Domains` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))
    private static let served = DomainFinding(.served, status: 200)
    private static let missing = DomainFinding(.otherStatus, status: 404, detail: "gone")

    private func domain(_ teams: Registered, in team: TeamID = team) async throws -> RegisteredDomain? {
        try await teams.domains.find("acme.example", in: team)
    }

    private func note(_ finding: DomainFinding, _ teams: Registered) async throws -> RegisteredDomain? {
        try await teams.domains.note(
            finding, of: DomainName(stored: "acme.example"), in: Self.team, by: Self.actor, from: .local)
    }

    @Test func `come with the first Service ID that names them and go with the last`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            try await acme.makeService("com.acme.web")
            let first = try #require(try await domain(acme))
            try await acme.makeService("com.acme.shop")
            _ = try await acme.serviceIDs.delete(
                .named("com.acme.web"), reason: "", in: Self.team, by: Self.actor, from: .local)

            let second = try #require(try await domain(acme))
            #expect(second.file == first.file && first.file.content.utf8.count == 90)
            #expect(second.serviceIDs == [try .named("com.acme.shop")])
            #expect(try await acme.domains.list(of: .named("com.acme.shop"), in: Self.team) == [second])

            let app = try ClientID.named("com.acme.app")
            _ = try await acme.appIDs.delete(app, reason: "", in: Self.team, by: Self.actor, from: .local)
            #expect(try await domain(acme) == nil)

            try await acme.makeApp()
            try await acme.makeService()
            #expect(try await domain(acme)?.file != first.file)
        }
    }

    @Test func `are verified by one right answer, which the log tells once`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            try await acme.makeService()
            #expect(try await domain(acme)?.state == .pending)

            #expect(try await note(Self.missing, acme)?.state == .unverified)
            let verified = try #require(try await note(Self.served, acme))
            _ = try await note(Self.served, acme)

            #expect(verified.state == .verified && verified.finding == Self.served)
            #expect(verified.checkedAt != nil)
            #expect(
                try await acme.events().filter { $0.action.hasPrefix("domain.") }.map(\.action) == ["domain.verified"])
        }
    }

    @Test func `lapse only when the file has been away for days`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            try await acme.makeService()
            _ = try await note(Self.served, acme)

            let failing = try #require(try await note(Self.missing, acme))
            guard case .failing = failing.state else {
                Issue.record("\(failing.state)")
                return
            }
            #expect(failing.isVerified && failing.finding == Self.missing)

            try await acme.database.query(
                """
                UPDATE domains SET failed_since = now() - interval '73 hours' WHERE team_id = \(Self.team)
                """, in: Self.team)
            #expect(try await note(Self.missing, acme)?.state == .unverified)
            #expect(try await acme.events().first?.action == "domain.lapsed")
            #expect(try await note(Self.served, acme)?.state == .verified)
        }
    }

    @Test func `are due at once, and an hour or a day after a check`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            try await acme.makeService()
            let due: @Sendable () async throws -> Int = {
                try await acme.domains.takeDue(limit: 10, in: Self.team).count
            }
            let minutes: @Sendable () async throws -> Int = {
                try await acme.number(
                    """
                    SELECT round(extract(epoch FROM check_due_at - checked_at) / 60)::int FROM domains
                    WHERE team_id = \(Self.team)
                    """)
            }

            #expect(try await due() == 1)
            _ = try await note(Self.missing, acme)
            #expect(try await due() == 0)
            #expect(try await minutes() == 60)
            _ = try await note(Self.served, acme)
            #expect(try await minutes() == 24 * 60)
        }
    }
}
