import HTTP
import Platform
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Console

/// Who may change what of a team's settings, and from which version.
@Suite(.environment) struct `The right to change a team’s settings` {
    @Test func `V48: let an owner alone shorten how long the audit log is kept`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        var olive = try await environment.signedIn("Olive", [TeamID.acme: .owner])
        func form(_ days: String, version: String) -> [(String, String)] {
            [
                ("version", version), ("idTokenSeconds", "600"), ("accountDeleteEvent", "account-delete"),
                ("auditRetentionDays", days),
            ]
        }
        let rules = SettingsRoutes.part.link(TeamID.acme, .rules)

        let refused = try await ada.post(rules, form("399", version: "1"))
        #expect(refused.status == 422 && refused.text.contains("id=\"field-auditRetentionDays-error\""))
        #expect(try await ada.post(rules, form("401", version: "1")).status == 303)
        #expect(try await olive.post(rules, form("30", version: "2")).status == 303)
        let days = "SELECT audit_retention_days FROM teams WHERE team_id = 'ACMETEAM01'"
        #expect(try environment.admin(days) == [["30"]])
    }

    @Test func `V54: are not written over by a form that names a version to come`() async throws {
        let ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let held = "SELECT FROM teams WHERE team_id = 'ACMETEAM01' FOR UPDATE"
        let holder = try RowHolder(at: environment.conninfo, held)
        let isAnswered = Mutex(false)
        async let answer = {
            var ada = ada
            let address = SettingsRoutes.part.link(TeamID.acme, .sources)
            let answer = try await ada.post(address, [("version", "2"), ("identitySources", "both")])
            isAnswered.withLock { $0 = true }
            return answer.status
        }()
        try await waitUntil { try isAnswered.withLock { $0 } || holder.waiterCount() > 0 }
        try holder.execute("UPDATE teams SET version = 2, registration = 'off' WHERE team_id = 'ACMETEAM01'")
        try holder.commit()

        #expect(try await answer == 409)
        let left = "SELECT version, registration FROM teams WHERE team_id = 'ACMETEAM01'"
        #expect(try environment.admin(left) == [["2", "off"]])
    }
}
