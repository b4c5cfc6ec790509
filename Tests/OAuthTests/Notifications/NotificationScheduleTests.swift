import Directory
import Platform
import Postgres
import Testing

@testable import TestTeams

/// Notices to a server that the team has not shown to be its own.
///
/// It is never called: whether it was tried shows.
@Suite struct `Turns of notifications` {
    private static let waiting =
        "SELECT FROM jobs WHERE state = 'pending' AND worker IS NULL AND attempts = 0 AND due_at > now()"

    /// Has Ada's news wait for a server that was called as often as any may be in a minute, by whatever teams.
    private func withWaitingNews(_ body: @escaping @Sendable (AppServer) async throws -> Void) async throws {
        try await withAppServer { app, _ in
            try app.setNotificationURL("https://127.0.0.1:1/notices")
            try app.setMode("production")
            let calls = RateLimit.Use(.unverifiedHost, by: .host("127.0.0.1"), RateLimit.unverifiedHost.count)
            try await app.engine.database.count([calls], in: .acme, at: app.engine.clock.now)
            try await app.tell()
            try await app.work { try app.admin(Self.waiting).count == 1 }
            #expect(try app.attempts().isEmpty && app.states() == ["pending"])
            try await body(app)
            try app.makeJobsDue()
            try await app.work { try app.attempts().count == 1 }
            #expect(try app.attempts() == [[nil, "address_refused", ""]])
        }
    }

    @Test func `V47: come in a later minute, where the server was called too often`() async throws {
        try await withWaitingNews { $0.engine.clock.advance(by: RateLimit.unverifiedHost.window) }
    }

    @Test func `V47: come at once where the domain is the team's`() async throws {
        try await withWaitingNews { app in
            try app.admin(
                "INSERT INTO domains (team_id, domain, is_verified) VALUES ($1, '127.0.0.1', true)",
                TeamID.acme.rawValue)
        }
    }
}
