import Directory
import Domain
import Postgres
import Testing

@testable import TestTeams

/// Notices to a server that the team has not shown to be its own.
///
/// It is never called: whether it was tried shows.
@Suite struct `Turns of notifications` {
    private static let waiting =
        "SELECT FROM jobs WHERE state = 'pending' AND worker IS NULL AND attempts = 0 AND due_at > now()"

    private func withStrangersServer(_ body: @escaping @Sendable (AppServer, SendingLimits) async throws -> Void)
        async throws
    {
        try await withAppServer { app in
            try app.setNotificationURL("https://127.0.0.1:1/notices")
            try app.setMode("production")
            try await body(app, SendingLimits(LimitStore(app.engine.database)))
        }
    }

    /// Gives out so many turns at the server.
    private func use(_ count: Int, of limits: SendingLimits, _ app: AppServer) async throws {
        let now = app.engine.clock.now
        for _ in 0..<count { _ = try await limits.turn(of: .notification, at: "127.0.0.1", in: .acme, at: now) }
    }

    @Test func `V47: come one after the other, and at once where the domain is the team's`() async throws {
        try await withStrangersServer { app, limits in
            try await use(60, of: limits, app)
            try await app.tell()
            try await app.work { try app.admin(Self.waiting).count == 1 }
            #expect(try app.attempts().isEmpty)
            #expect(try app.states() == ["pending"])

            try app.admin(
                "INSERT INTO domains (team_id, domain, is_verified) VALUES ($1, '127.0.0.1', true)",
                TeamID.acme.rawValue)
            try app.makeJobsDue()
            try await app.work { try app.attempts().count == 1 }
            #expect(try app.attempts() == [[nil, "address_refused", ""]])
        }
    }

    @Test func `V47: are waited for once, however many came meanwhile`() async throws {
        try await withStrangersServer { app, limits in
            try await use(60, of: limits, app)
            try await app.tell()
            try await app.work { try app.admin(Self.waiting).count == 1 }
            try await use(500, of: limits, app)
            app.engine.clock.advance(by: .seconds(60))
            try app.makeJobsDue()
            try await app.work { try app.attempts().count == 1 }
            #expect(try app.admin("SELECT turn_at FROM notices") == [[nil]])
        }
    }

    @Test func `V47: of one person's notifications one waits, the newest, in the turn of the oldest`() async throws {
        try await withStrangersServer { app, limits in
            try await use(60, of: limits, app)
            try await app.tell()
            try await app.work { try app.admin(Self.waiting).count == 1 }
            let first = try app.admin("SELECT notice_id, turn_at FROM notices")
            for _ in 0..<3 {
                try await use(10, of: limits, app)
                try await app.tell()
                try await app.work {
                    try app.admin("SELECT turn_at IS NOT NULL FROM notices") == [["t"]]
                        && app.admin(Self.waiting).count == 1
                }
            }
            let last = try app.admin("SELECT notice_id, turn_at FROM notices")
            #expect(last.count == 1 && last[0][0] != first[0][0] && last[0][1] == first[0][1])
        }
    }

    @Test func `V47, V53: of one that failed and comes again give no newer one away that waits`() async throws {
        try await withStrangersServer { app, limits in
            try await app.tell()
            try await app.work { try app.attempts().count == 1 }
            let old = try app.admin("SELECT notice_id FROM notices")
            app.engine.clock.advance(by: .seconds(1))
            try await use(60, of: limits, app)
            try await app.tell()
            try await app.work { try app.admin("SELECT FROM notices WHERE turn_at IS NOT NULL").count == 1 }
            let new = try app.admin("SELECT notice_id FROM notices WHERE turn_at IS NOT NULL")
            #expect(new != old)
            try app.admin("UPDATE jobs SET due_at = now() WHERE attempts > 0")
            try await app.work { try app.admin("SELECT FROM notices WHERE turn_at IS NOT NULL").count == 2 }
            #expect(try app.admin("SELECT FROM notices WHERE notice_id = $1", new[0][0]).count == 1)
        }
    }

    @Test func `V47: of all teams at one server are so many a minute, and a notification keeps its own meanwhile`()
        async throws
    {
        try await withStrangersServer { app, limits in
            let all = try #require(Sending.notification.perServerOverTeams)
            let now = app.engine.clock.now
            for _ in 0..<all.count {
                #expect(try await limits.charge(.notification, ofAllTeamsAt: "127.0.0.1", at: now) == nil)
            }
            try await app.tell()
            try await app.work { try app.admin(Self.waiting).count == 1 }
            #expect(try app.attempts().isEmpty)
            let turn = try app.admin("SELECT turn_at FROM notices")
            #expect(turn[0][0] != nil)

            app.engine.clock.advance(by: all.window)
            // Its turn was had: those that come meanwhile are not before it.
            try await use(500, of: limits, app)
            try app.makeJobsDue()
            try await app.work { try app.attempts().count == 1 }
        }
    }
}
