import Platform
import Simulator
import Testing

@testable import TestTeams

extension TestSite {
    /// What people and apps leave behind who sign in, ours and Apple's.
    private static let traces = [
        "attempts", "authorization_codes", "consents", "flow_steps", "flows", "jobs", "limits", "native_handovers",
        "notices", "provider_announcements", "provider_identities", "provider_notices", "provider_partings",
        "provider_tokens", "provider_trips", "refresh_tokens", "sessions",
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
