import Platform
import Simulator
import Testing

@testable import TestTeams

extension TestSite {
    /// What people and apps leave behind who sign in, ours and Apple's.
    private static let traces = [
        "interactions", "authorization_codes", "consents", "trace_events", "traces", "jobs", "limits",
        "native_handovers", "notifications", "upstream_announcements", "upstream_identities", "upstream_notifications",
        "upstream_unlinks", "upstream_tokens", "upstream_requests", "refresh_tokens", "sessions",
    ]

    /// Has nobody come yet but the cast, here and at Apple; so much later that Apple's keys are fetched again.
    func startAnew() async throws {
        for place in Place.allCases {
            script.release(place)
            script.set(nil, at: place)
        }
        try await flush()
        lines.forget()
        for table in Self.traces { try teams.admin("DELETE FROM \(table)") }
        let cast = [teams.people.ada, teams.people.ben, teams.people.cleo].map(\.rawValue).joined(separator: ",")
        try teams.admin("DELETE FROM users WHERE team_id = 'ACMETEAM01' AND sub <> ALL ($1::text[])", "{\(cast)}")
        teams.clock.advance(by: .seconds(25 * 3600))
    }
}
