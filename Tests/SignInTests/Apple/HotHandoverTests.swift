import Core
import Platform
import Simulator
import TestDatabase
import Testing

@testable import TestTeams

/// What one sends again and again waits in memory for its own row: it occupies nothing that other teams need.
@Suite struct `What many send at once` {
    private static let native = "/t/ACMETEAM01/auth/native"

    /// Sends the same eight times while `held` is held; how many of them wait at the database.
    private func waiters(for held: String, _ send: @escaping () throws -> Exchange) async throws -> Int {
        let (pending, atDatabase) = try await site.teams.waiters(for: held, while: Array(repeating: send, count: 8))
        for exchange in pending { _ = try exchange.answer() }
        return atDatabase
    }

    @Test(.apple) func `V54: of one handover that may be tried again waits with one at the database`() async throws {
        let form = [
            "client_id": ClientID.app.rawValue, "code": "unknown", "client_secret": try site.teams.secret(of: .app),
        ]
        site.script.set(.throttled, at: .token, times: 100)
        #expect(try site.handOver(form).status == 503)
        let count = try await waiters(for: "SELECT FROM native_handovers FOR UPDATE") {
            try site.setOut(Self.native, form)
        }
        #expect(count == 1)
    }

    @Test(.apple) func `V54: of one handover that is settled waits with one at the database`() async throws {
        let form = try site.device(.regular)
        #expect(try site.handOver(form).status == 200)
        let count = try await waiters(for: "SELECT FROM native_handovers FOR UPDATE") {
            try site.setOut(Self.native, form)
        }
        #expect(count == 1)
        #expect(try site.handOver(form).status == 200)
    }

    @Test(.apple) func `V54: of one refresh token waits with one at the database`() async throws {
        let token = try site.nativeToken()
        let form = ["client_id": ClientID.app.rawValue, "grant_type": "refresh_token", "refresh_token": token]
        let count = try await waiters(for: "SELECT FROM refresh_tokens FOR NO KEY UPDATE") {
            try site.setOut("/t/ACMETEAM01/auth/token", form)
        }
        #expect(count == 1)
    }

    @Test(.apple) func `V54: by a refresh token that is dead waits for nothing`() throws {
        let token = try site.nativeToken()
        try site.admin("UPDATE refresh_tokens SET revoked_at = now()")
        let holder = try RowHolder(at: site.conninfo, "SELECT FROM refresh_tokens FOR UPDATE")
        #expect(try site.refresh(token).json["error"] == "invalid_grant")
        try holder.commit()
    }

    @Test(.notifications) func `V54: of people whom two notifications tell of crosswise stops neither`() async throws {
        for performer in [Performer.regular, .hidden] {
            #expect(try site.handOver(try site.device(performer)).status == 200)
        }
        try site.predate()
        let events = [site.event("email-disabled"), site.event("email-disabled", of: .hidden)]
        let (pending, _) = try await site.teams.waiters(
            for: "SELECT FROM users WHERE team_id = 'ACMETEAM01' FOR UPDATE",
            while: [events, events.reversed()].enumerated().map { number, events in
                { try site.setOut(.array(events), id: "notice-\(number)") }
            })
        for exchange in pending { #expect(try exchange.answer().status == 200) }
    }
}
