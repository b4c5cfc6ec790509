import Platform
import Simulator
import Testing

@testable import TestTeams

extension TestSite {
    /// Tables of what sign-ins leave, those to Pippin and those to the simulator.
    private static let tables = [
        "interactions", "authorization_codes", "consents", "trace_events", "traces", "jobs", "limits",
        "native_handovers", "notifications", "upstream_announcements", "upstream_identities", "upstream_notifications",
        "upstream_unlinks", "upstream_tokens", "upstream_requests", "refresh_tokens", "sessions",
    ]

    /// Deletes everything that sign-ins have left, and moves the clock on so far that the keys of Apple are fetched again.
    func reset() async throws {
        for place in Place.allCases {
            script.release(place)
            script.set(nil, at: place)
        }
        try await flush()
        lines.forget()
        for table in Self.tables { try teams.admin("DELETE FROM \(table)") }
        let cast = [teams.people.ada, teams.people.ben, teams.people.cleo].map(\.rawValue).joined(separator: ",")
        try teams.admin("DELETE FROM users WHERE team_id = 'ACMETEAM01' AND sub <> ALL ($1::text[])", "{\(cast)}")
        teams.clock.advance(by: .seconds(25 * 3600))
    }
}
