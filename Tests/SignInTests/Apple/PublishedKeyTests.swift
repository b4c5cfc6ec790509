import Core
import EventLoop
import Platform
import Simulator
import TestSupport
import Testing

@testable import TestTeams

/// `/auth/keys` of a team that is connected to Apple: its backends verify the tokens that devices have from Apple, too.
@Suite(.apple) struct `Apple's keys in the key set of a team` {
    private func keys(_ team: String = "ACMETEAM01") throws -> (answer: Answer, names: [String?]) {
        let answer = try site.ask("GET", "/t/\(team)/auth/keys")
        guard case .array(let keys)? = answer.json["keys"] else { throw TestFailure(answer.text) }
        return (answer, keys.map { $0["kid"]?.string })
    }

    /// Has Apple publish a key, and no Service ID of Acme's have Apple's issuer.
    private func publish() throws {
        site.publishExtraKey()
        try site.admin("UPDATE service_ids SET issuer = 'own' WHERE team_id = 'ACMETEAM01'")
    }

    /// Waits until Apple's keys are there.
    private func waitForKeys() async throws { try await waitUntil { try keys().names.contains("EXTRAKEY01") } }

    @Test func `are in the first answer after a start`() throws {
        try publish()
        let (answer, names) = try keys()
        #expect(names.last == "EXTRAKEY01" && answer["Cache-Control"] == "public, max-age=300")
    }

    @Test func `follow the team's own once Apple has answered, for which nobody waits long`() async throws {
        try publish()
        let silent = { try keys() }
        let first = try await site.hold(.keys, while: silent) { #expect(site.script.heldCount(at: .keys) == 1) }
        #expect(first.answer.status == 200 && first.names.count == 1)
        // A set without Apple's keys is not to be kept.
        #expect(first.answer["Cache-Control"] == "no-store")

        try await waitForKeys()
        let second = try keys()
        #expect(second.names.first == first.names[0] && second.names.last == "EXTRAKEY01")
        #expect(second.answer["Cache-Control"] == "public, max-age=300")
        #expect(Set(second.names).count == second.names.count)
    }

    @Test func `stay as they were last while Apple is in trouble, however long`() async throws {
        try publish()
        try await waitForKeys()
        for fault in [Fault.trouble, .malformed, .throttled] {
            site.script.set(fault, at: .keys, times: 100)
            site.clock.advance(by: .seconds(2 * 86_400))
            let before = site.calls(to: .keys)
            let (answer, names) = try keys()
            #expect(answer.status == 200 && names.last == "EXTRAKEY01", "\(fault)")
            try await waitUntil { site.calls(to: .keys) > before }
            #expect(try keys().names.last == "EXTRAKEY01", "\(fault)")
        }
    }

    @Test func `are not those of a team without a connection`() async throws {
        try publish()
        try await waitForKeys()
        let (answer, names) = try keys("RIVALTEAM1")
        #expect(names.count == 1 && answer["Cache-Control"] == "public, max-age=300")
        try await site.teams.loop.run { try await site.teams.connectRival() }
        #expect(try keys("RIVALTEAM1").names.last == "EXTRAKEY01")
    }

    @Test
    func `V63: are not beside a Service ID with Apple's issuer, unless the team says always, nor where it says off`()
        async throws
    {
        try publish()
        try await waitForKeys()
        let table: [(setting: String, serviceIssuer: String, appIssuer: String, isThere: Bool)] = [
            ("automatic", "own", "own", true), ("automatic", "own", "apple", true),
            ("automatic", "apple", "own", false), ("always", "apple", "own", true), ("always", "own", "own", true),
            ("off", "own", "own", false), ("off", "apple", "apple", false),
        ]
        for (setting, serviceIssuer, appIssuer, isThere) in table {
            try site.admin("UPDATE teams SET apple_keys = $1 WHERE team_id = 'ACMETEAM01'", setting)
            try site.admin("UPDATE service_ids SET issuer = $1 WHERE identifier = 'com.acme.web'", serviceIssuer)
            try site.admin("UPDATE app_ids SET issuer = $1 WHERE identifier = 'com.acme.app'", appIssuer)
            // What another team chose is its own.
            try site.admin("UPDATE teams SET apple_keys = 'off' WHERE team_id = 'RIVALTEAM1'")
            let (answer, names) = try keys()
            #expect(names.contains("EXTRAKEY01") == isThere, "\(setting) \(serviceIssuer) \(appIssuer)")
            #expect(names.count > (isThere ? 1 : 0) && answer["Cache-Control"] == "public, max-age=300")
        }
    }

    @Test func `are asked of Apple once in five minutes`() async throws {
        try publish()
        try await waitForKeys()
        let before = site.calls(to: .keys)
        for _ in 0..<5 { _ = try keys() }
        #expect(site.calls(to: .keys) == before)
        site.clock.advance(by: .seconds(301))
        _ = try keys()
        try await waitUntil { site.calls(to: .keys) == before + 1 }
    }
}
