import Bytes
import Domain
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// The same handover again and again, and others that lead nowhere.
@Suite struct `A native handover that comes often` {
    @Test func `is one session, however many come at once`() async throws {
        try await withApple { site in
            let given = try site.device(.regular)
            #expect(try site.handOver(given).status == 200)
            let body = FormCoding.encode(given.map { FormCoding.Field($0.key, $0.value) })
            let exchanges = try (0..<8).map { _ in
                try Exchange(
                    port: site.port,
                    "POST",
                    "/t/ACMETEAM01/auth/native",
                    ["Content-Type: application/x-www-form-urlencoded"],
                    body: body
                )
            }
            let answers = try exchanges.map { try $0.answer() }
            #expect(answers.allSatisfy { $0.status == 200 })
            let tokens = answers.compactMap { $0.json["refresh_token"]?.string }
            #expect(Set(tokens).count == 8)
            #expect(try tokens.count { try site.refresh($0).status == 200 } == 1)
            #expect(try site.sessions() == [["1"]])
            // The handover still leads to its session.
            #expect(try site.handOver(given).status == 200)
        }
    }

    @Test func `leaves no row behind where it leads nowhere`() async throws {
        try await withApple { site in
            var given = try site.device(.regular)
            given["code"] = "not a code of Apple's"
            #expect(try site.handOver(given).status == 400)
            #expect(try site.teams.admin("SELECT FROM native_handovers").isEmpty)

            site.script.set(.trouble, at: .token)
            given = try site.device(.regular)
            #expect(try site.handOver(given).status == 503)
            #expect(try site.handOver(given).status == 200)
            let rows = try site.teams.admin("SELECT settled_at IS NOT NULL FROM native_handovers")
            #expect(rows == [["t"]])
            #expect(try site.announcements().isEmpty)
        }
    }

    @Test func `is refused with a code that is too long, and a name is cut`() async throws {
        try await withApple { site in
            var given = try site.device(.regular)
            given["code"] = String(repeating: "c", count: 513)
            #expect(try site.handOver(given).json["error"] == "invalid_request")
            given = try site.device(.regular)
            given["first_name"] = String(repeating: "é", count: 300)
            #expect(try site.handOver(given).status == 200)
            let kept = try site.teams.admin("SELECT length(form_given_name) FROM provider_identities")
            #expect(kept == [["200"]])
        }
    }

    @Test func `is refused for a minute once twenty of an address have failed, and no other team is`()
        async throws
    {
        try await withApple { site in
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
    }

    @Test func `needs its token once so many of the whole team have failed that Apple would mind`()
        async throws
    {
        try await withApple { site in
            let wrong = ["client_id": ClientID.app.rawValue, "code": "wrong"]
            #expect(try site.handOver(wrong).status == 400)
            try site.teams.admin("UPDATE limits SET count = 500 WHERE subject = 'handovers.team'")
            let given = try site.device(.regular)
            let refused = try site.handOver(given.filter { $0.key != "identity_token" })
            #expect(refused.status == 429)
            #expect(try site.teams.admin("SELECT FROM native_handovers").isEmpty)
            #expect(try site.handOver(given).status == 200)
        }
    }

    @Test func `counts for its team only where Apple was asked`() async throws {
        try await withApple { site in
            let forged = ["client_id": ClientID.app.rawValue, "code": "x", "identity_token": "forged"]
            for address in 0..<30 {
                for _ in 0..<20 { #expect(try site.handOver(forged).status == 400) }
                #expect(try site.handOver(forged).status == 429)
                // The next twenty come from elsewhere.
                try site.teams.admin(
                    "UPDATE limits SET subject = subject || $1 WHERE subject LIKE 'handovers.address%'",
                    " of \(address)"
                )
                try site.teams.admin("DELETE FROM limits WHERE subject NOT LIKE 'handovers%'")
            }
            #expect(try site.teams.admin("SELECT FROM limits WHERE subject = 'handovers.team'").isEmpty)
            #expect(try site.handOver(try site.device(.regular)).status == 200)
        }
    }

    @Test func `waits as long as Apple asks`() async throws {
        try await withApple { site in
            site.script.set(.throttled, at: .token)
            let app = try site.handOver(try site.device(.regular))
            #expect(app.status == 503 && app["Retry-After"] == "30")

            site.script.set(.throttled, at: .token)
            let page = try site.browser().signInAtApple(.regular)
            #expect(page.status == 503 && page["Retry-After"] == "30")
        }
    }
}
