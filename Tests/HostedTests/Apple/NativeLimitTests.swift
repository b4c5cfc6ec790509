import Bytes
import Domain
import HTTP
import OAuth
import Simulator
import TestSupport
import Testing

@testable import Directory
@testable import Federation
@testable import Hosted
@testable import TestTeams

/// The same handover again and again, and others that lead nowhere.
@Suite struct `A native handover that comes often` {
    @Test(.apple) func `is one session, however many come at once`() throws {
        let given = try site.device(.regular)
        #expect(try site.handOver(given).status == 200)
        let exchanges = try (0..<8).map { _ in try site.setOut("/t/ACMETEAM01/auth/native", given) }
        let answers = try exchanges.map { try $0.answer() }
        #expect(answers.allSatisfy { $0.status == 200 })
        let tokens = answers.compactMap { $0.json["refresh_token"]?.string }
        #expect(Set(tokens).count == 8)
        #expect(try tokens.count { try site.refresh($0).status == 200 } == 1)
        #expect(try site.sessions() == [["1"]])
        // The handover still leads to its session.
        #expect(try site.handOver(given).status == 200)
    }

    @Test(.apple) func `is refused with a code that is too long, and a name is cut`() throws {
        var given = try site.device(.regular)
        given["code"] = String(repeating: "c", count: 513)
        #expect(try site.handOver(given).json["error"] == "invalid_request")
        given = try site.device(.regular)
        given["first_name"] = String(repeating: "é", count: 300)
        #expect(try site.handOver(given).status == 200)
        let kept = try site.teams.admin("SELECT length(form_given_name) FROM provider_identities")
        #expect(kept == [["200"]])
    }

    @Test(.apple) func `is refused for a minute once twenty of an address have failed, and no other team is`() throws {
        for number in 0..<20 {
            let wrong = ["client_id": ClientID.app.rawValue, "code": "wrong-\(number)"]
            #expect(try site.handOver(wrong).status == 400)
        }
        let given = try site.device(.regular)
        let refused = try site.handOver(given)
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        #expect(try site.handOver(given, in: "RIVALTEAM1").status == 400)
        site.teams.clock.advance(by: .seconds(61))
        #expect(try site.handOver(given).status == 200)
    }

    @Test func `V46: is tried twenty times at once by one address, however many it sends`() async throws {
        try await withTeams { teams in
            let limits = HandoverLimits(counts: LimitStore(teams.database))
            let address = try #require(IPAddress("203.0.113.7"))
            let now = teams.clock.now
            let entries = try await race(100) { _ in try await limits.enter(.address(address), in: .acme, at: now) }
                .compactMap { $0 }
            #expect(entries.count == 20)
            // Those that go well leave nothing behind, even where Apple had to be asked twice.
            for entry in entries { try await limits.leave(entry, with: nil, in: .acme) }
            #expect(try teams.admin("SELECT FROM limits WHERE count > 0").isEmpty)
        }
    }

    @Test(.apple) func `V43: of a backend that proves itself is not held to what an address may do`() throws {
        let forged = ["client_id": ClientID.app.rawValue, "code": "x", "identity_token": "forged"]
        for _ in 0..<21 { _ = try site.handOver(forged) }
        try site.teams.setCounted("attempts.address%", to: 1000000)
        let own = ["client_secret": try site.teams.secret(of: .app)]
        #expect(try site.handOver(site.device(.regular)).status == 429)
        #expect(try site.handOver(site.device(.regular).merging(own) { $1 }).status == 200)
        #expect(try site.teams.counted("handovers-of.account.%") == [0])
        // What strangers had it hand over shuts nobody out whose token proves itself.
        try site.teams.setCounted("handovers-of.account.%", to: 500)
        let proven = try site.device(.regular).merging(own) { $1 }
        #expect(try site.handOver(proven.filter { $0.key != "identity_token" }).status == 429)
        #expect(try site.handOver(site.device(.regular).merging(own) { $1 }).status == 200)
        try site.teams.setCounted("handovers-of.account.%", to: 0)
        // A secret that proves nothing is no backend's, and counts for nobody.
        #expect(try site.handOver(["client_secret": "forged"].merging(forged) { first, _ in first }).status == 400)
        #expect(try site.teams.counted("handovers-of.account.%") == [0])
    }

    @Test(.apple) func `comes from no sheet of the stand-in whose nonce the database cannot keep`() throws {
        for nonce in ["a\u{0}b", String(repeating: "n", count: 513)] {
            let form = ["client_id": ClientID.app.rawValue, "person": "regular", "nonce": nonce]
            let answer = try site.post("/apple/device", form)
            #expect(answer.status == 400)
        }
        let given = try site.device(.regular, nonce: String(repeating: "n", count: 512))
        let tokens = try site.handOver(given)
        #expect(tokens.status == 200)
    }

    @Test(.apple) func `V47: of one token and code goes to Apple five times a minute, whatever else it comes with`()
        throws
    {
        let pair = try site.device(.regular).merging(["client_secret": try site.teams.secret(of: .app)]) { $1 }
        #expect(try site.handOver(pair).status == 200)
        func calls() -> Int { site.calls(to: .token) }
        let before = calls()
        var statuses: [Int] = []
        for number in 0..<12 {
            statuses.append(try site.handOver(pair.merging(["first_name": "Name \(number)"]) { $1 }).status)
        }
        #expect(statuses == Array(repeating: 400, count: 5) + Array(repeating: 429, count: 7))
        #expect(calls() == before + 5)
        // Another person of the same backend goes on.
        let other = try site.device(.hidden).merging(["client_secret": try site.teams.secret(of: .app)]) { $1 }
        #expect(try site.handOver(other).status == 200)
        // So does the same person, by what they come with next: the pair may be one that somebody found.
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.apple) func `V47: by a token that names no code uses up nothing of its person's`() throws {
        site.publishExtraKey()
        let token = try site.resigned(try site.device(.regular)["identity_token"]) { $0["c_hash"] = nil }
        var statuses: [Int] = []
        for number in 0..<6 {
            var form = ["client_id": ClientID.app.rawValue, "code": "wrong-\(number)"]
            form["identity_token"] = token
            statuses.append(try site.handOver(form).status)
        }
        #expect(statuses == Array(repeating: 400, count: 5) + [429])
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.apple) func `V46, V47: that Apple throttles stays counted, and lets unproven ones go no further`() throws {
        site.script.set(.throttled, at: .token, times: 100)
        func junk(_ number: Int) -> [String: String] { ["client_id": ClientID.app.rawValue, "code": "junk-\(number)"] }
        for number in 0..<20 { #expect(try site.handOver(junk(number)).status == 503) }
        let calls = site.calls(to: .token)
        #expect(try site.handOver(junk(20)).status == 429)
        #expect(site.calls(to: .token) == calls)
        #expect(try site.teams.counted("handovers.team") == [20])
    }

    @Test func `V47: that fails from the networks of one site leaves the team's count to others`() async throws {
        try await withTeams { teams in
            let limits = HandoverLimits(counts: LimitStore(teams.database))
            let failure = UpstreamFailure(.other, .anew, because: "refused").ofProvider
            func isTaken(_ text: String) async throws -> Bool {
                let address = try #require(IPAddress(text))
                guard let entry = try await limits.enter(.address(address), in: .acme, at: teams.clock.now) else {
                    return false
                }
                #expect(!entry.isForProvenOnly)
                try await limits.leave(entry, with: failure, in: .acme)
                return true
            }
            var taken = 0
            for network in 0..<40 {
                for host in 1...21 { if try await isTaken("2001:db8:1:\(network)::\(host)") { taken += 1 } }
            }
            #expect(taken == 320)
            for other in ["2001:db8:2::1", "192.0.2.1"] {
                let isOther = try await isTaken(other)
                #expect(isOther, "\(other)")
            }
            teams.clock.advance(by: .seconds(61))
            #expect(try await isTaken("2001:db8:1::1"))
        }
    }

    @Test(.apple) func `needs its token once so many of the whole team have failed that Apple would mind`() throws {
        let wrong = ["client_id": ClientID.app.rawValue, "code": "wrong"]
        #expect(try site.handOver(wrong).status == 400)
        try site.teams.setCounted("handovers.team", to: 500)
        let given = try site.device(.regular)
        let refused = try site.handOver(given.filter { $0.key != "identity_token" })
        #expect(refused.status == 429)
        #expect(try site.teams.count("native_handovers") == 0)
        #expect(try site.handOver(given).status == 200)
    }

    @Test(.apple) func `counts for its team only where Apple was asked`() throws {
        let forged = ["client_id": ClientID.app.rawValue, "code": "x", "identity_token": "forged"]
        for address in 0..<30 {
            for _ in 0..<20 { #expect(try site.handOver(forged).status == 400) }
            #expect(try site.handOver(forged).status == 429)
            // The next twenty come from elsewhere.
            try site.teams.admin(
                "UPDATE limits SET subject = subject || $1 WHERE subject LIKE 'handovers.address%'", " of \(address)")
            try site.teams.admin("DELETE FROM limits WHERE subject NOT LIKE 'handovers%'")
        }
        #expect(try site.teams.admin("SELECT FROM limits WHERE subject = 'handovers.team' AND count > 0").isEmpty)
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.apple) func `waits as long as Apple asks`() throws {
        site.script.set(.throttled, at: .token)
        let app = try site.handOver(try site.device(.regular))
        #expect(app.status == 503 && app["Retry-After"] == "30")

        site.script.set(.throttled, at: .token)
        let page = try site.browser().signInAtApple(.regular)
        #expect(page.status == 503 && page["Retry-After"] == "30")
    }
}
