import Core
import HTTP
import OAuth
import Platform
import Simulator
import Testing

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

    /// What cuts off tokens of before: for the team, a client, or the person.
    enum CutOff: CaseIterable { case team, client, person, otherClient, otherTeam }

    @Test(.apple, arguments: CutOff.allCases, [true, false])
    func `V29, V59: is not answered again past a cut-off of the team, the client or the person`(
        _ cutOff: CutOff, _ hasSecret: Bool
    ) throws {
        var given = try site.device(.regular)
        if hasSecret { given["client_secret"] = try site.teams.secret(of: .app) }
        #expect(try site.handOver(given).status == 200)
        site.clock.advance(by: .seconds(10))
        switch cutOff {
        case .team: try site.cutOff("*")
        case .client: try site.cutOff(ClientID.app.rawValue)
        case .person: #expect(try site.client("sign-out", ["sub": Performer.regular.subject.rawValue]).status == 200)
        case .otherClient: try site.cutOff(ClientID.sister.rawValue)
        case .otherTeam: try site.cutOff("*", in: .rival)
        }
        let isOver = [.team, .client, .person].contains(cutOff)
        for _ in 0..<2 {
            let again = try site.handOver(given)
            #expect(again.status == (isOver ? 400 : 200) && (again.json["id_token"] == nil) == isOver)
        }
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.apple) func `is refused with a code that is too long, and a name is cut`() throws {
        var given = try site.device(.regular)
        given["code"] = String(repeating: "c", count: 513)
        #expect(try site.handOver(given).json["error"] == "invalid_request")
        given = try site.device(.regular)
        given["first_name"] = String(repeating: "é", count: 300)
        #expect(try site.handOver(given).status == 200)
        let kept = try site.admin("SELECT length(form_given_name) FROM upstream_identities")
        #expect(kept == [["200"]])
    }

    private static func junk(_ number: Int) -> [String: String] {
        ["client_id": ClientID.app.rawValue, "code": "wrong-\(number)"]
    }

    @Test(.apple(limits: ["failed-handovers": 3]))
    func `V43, V46, V61: once so many have failed, only what proves itself goes on, of a network and of a backend`()
        throws
    {
        for number in 0..<3 { #expect(try site.handOver(Self.junk(number)).status == 400) }
        let (given, own) = (try site.device(.regular), ["client_secret": try site.teams.secret(of: .app)])
        let bare = given.filter { $0.key != "identity_token" }
        let refused = try site.handOver(bare)
        #expect(refused.status == 429 && refused["Retry-After"] == "60")
        #expect(try site.handOver(given, in: "RIVALTEAM1").status == 400)
        // A secret that proves nothing is no backend's, and counts for nobody.
        #expect(try site.handOver(given.merging(["client_secret": "forged"]) { $1 }).status == 400)
        #expect(try site.handOver(bare.merging(own) { $1 }).status == 200)
        #expect(try site.counted("failed-handovers.client.%") == [0])

        // What strangers had it hand over shuts nobody out whose token proves itself.
        for number in 3..<6 { #expect(try site.handOver(Self.junk(number).merging(own) { $1 }).status == 400) }
        let proven = try site.device(.regular).merging(own) { $1 }
        #expect(try site.handOver(proven.filter { $0.key != "identity_token" }).status == 429)
        let failed = try #require(try site.counted("failed-handovers.client.%").first)
        #expect(try site.handOver(proven).status == 200)
        // It may not have been counted, so it gives none back.
        let now = try #require(try site.counted("failed-handovers.client.%").first)
        #expect(failed >= 3 && now >= failed)
        site.clock.advance(by: .seconds(61))
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.apple(limits: ["failed-handovers": 3]))
    func
        `V61: that proves itself goes on beyond the limit of its network, so often for each person, and writes nothing else`()
        throws
    {
        site.publishExtraKey()
        for number in 0..<3 { #expect(try site.handOver(Self.junk(number)).status == 400) }
        let (rita, hiro) = (try site.device(.regular), try site.device(.hidden))
        let kept = "SELECT count(*) FROM native_handovers"
        let (before, calls) = (try site.admin(kept), site.calls(to: .token))
        // A token of another code, one that names none, and one that Apple has not signed.
        var others = [rita.merging(["code": hiro["code"] ?? ""]) { $1 }]
        for change in [{ $0["c_hash"] = nil }, { $0["iss"] = "https://evil.example" }]
            as [(inout [String: JSONValue]) -> Void]
        { others.append(rita.merging(["identity_token": try site.resigned(rita["identity_token"], change)]) { $1 }) }
        for other in others { #expect([400, 429].contains(try site.handOver(other).status)) }
        #expect(try site.admin(kept) == before && site.calls(to: .token) == calls)

        #expect(try site.handOver(rita).status == 200 && site.handOver(rita).status == 200)
        // With what is spent, Apple is asked so often for each person and no more; another's goes on.
        let statuses = try (0..<5).map { try site.handOver(rita.merging(["first_name": "Name \($0)"]) { $1 }).status }
        #expect(statuses.filter { $0 == 429 }.count >= 2 && statuses.allSatisfy { $0 != 200 })
        let spent = try site.admin(kept)
        #expect(try site.handOver(rita.merging(["first_name": "More"]) { $1 }).status == 429)
        #expect(try site.admin(kept) == spent)
        #expect(try site.handOver(hiro).status == 200)
    }

    @Test(.apple) func `comes from no sheet of the simulator whose nonce the database cannot keep`() throws {
        for nonce in ["a\u{0}b", String(repeating: "n", count: 513)] {
            let form = ["client_id": ClientID.app.rawValue, "person": "regular", "nonce": nonce]
            let answer = try site.post("/apple/device", form)
            #expect(answer.status == 400)
        }
        let given = try site.device(.regular, nonce: String(repeating: "n", count: 512))
        let tokens = try site.handOver(given)
        #expect(tokens.status == 200)
    }

    @Test(.apple(limits: ["failed-handovers": 3]))
    func `V47: of one person goes to Apple so often a minute, whatever else it comes with`() throws {
        let own = ["client_secret": try site.teams.secret(of: .app)]
        let pair = try site.device(.regular).merging(own) { $1 }
        #expect(try site.handOver(pair).status == 200)
        let before = site.calls(to: .token)
        let statuses = try (0..<5).map { try site.handOver(pair.merging(["first_name": "Name \($0)"]) { $1 }).status }
        #expect(statuses == [400, 400, 400, 429, 429])
        #expect(site.calls(to: .token) == before + 3)
        // Another person of the same backend goes on.
        #expect(try site.handOver(try site.device(.hidden).merging(own) { $1 }).status == 200)
    }

    @Test(.apple(limits: ["failed-handovers": 3])) func `V46, V47: that Apple throttles stays counted`() throws {
        site.script.set(.throttled, at: .token, times: 100)
        for number in 0..<3 { #expect(try site.handOver(Self.junk(number)).status == 503) }
        let calls = site.calls(to: .token)
        #expect(try site.handOver(Self.junk(3)).status == 429)
        #expect(site.calls(to: .token) == calls)
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

extension TestSite {
    /// Cuts off what was issued to a client until now; `*` stands for all of a team.
    func cutOff(_ client: String, in team: TeamID = .acme) throws {
        try admin(
            "INSERT INTO not_befores (team_id, client_id, not_before) VALUES ($1, $2, to_timestamp($3::double precision))",
            team.rawValue, client, "\(clock.now.seconds)")
    }
}
