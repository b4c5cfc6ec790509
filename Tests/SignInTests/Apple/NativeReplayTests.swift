import Accounts
import Core
import EventLoop
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A token and its code that were good once, beside words of somebody else's.
@Suite(.apple) struct `A spent native handover` {
    private static let everything = """
        SELECT u.given_name, u.family_name, u.email, i.form_given_name, i.form_email, i.state, i.state_at::text,
            i.last_seen_at::text, i.form_received_at::text, i.real_user_status::text, c.given_name,
            c.shares_name::text, c.delivered_at::text, c.granted_at::text
        FROM upstream_identities i JOIN users u USING (team_id, sub)
        LEFT JOIN consents c USING (team_id, sub)
        WHERE i.team_id = 'ACMETEAM01'
        """
    private static let users = "SELECT sub, given_name FROM users WHERE team_id = 'ACMETEAM01' ORDER BY sub"

    private static func replay(_ given: [String: String]) throws {
        site.clock.advance(by: .seconds(5))
        var forged = given
        (forged["first_name"], forged["last_name"]) = ("Evil", "Twin")
        (forged["email"], forged["real_user_status"]) = ("evil@example.com", "2")
        for _ in 0..<2 {
            let answer = try site.handOver(forged)
            #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
        }
        #expect(try site.announcements().isEmpty)
    }

    /// What may have come to its person since.
    private static let changes = [
        [], ["UPDATE upstream_identities SET state = 'revoked'", "DELETE FROM consents WHERE team_id = 'ACMETEAM01'"],
        ["DELETE FROM users WHERE email = 'rita@icloud.example' AND team_id = 'ACMETEAM01'"],
    ]

    /// No name where its person had given none, no consent that was taken back, and nobody who is gone.
    @Test(arguments: changes, [true, false]) func `changes nothing of its person, and brings nothing back`(
        _ changes: [String], _ isNamed: Bool
    ) throws {
        let given = try site.device(.regular).filter {
            isNamed || !["first_name", "last_name", "email"].contains($0.key)
        }
        #expect(try site.handOver(given).status == 200)
        for change in changes { try site.admin(change) }
        let (before, actions) = (try site.admin(Self.everything), try site.actions())
        let users = try site.admin(Self.users)
        try Self.replay(given)
        #expect(try site.admin(Self.everything) == before && site.admin(Self.users) == users)
        #expect(try site.actions() == actions)
    }

    @Test func `says nothing to anybody while Apple cannot be asked, and is gone once it can`() throws {
        let given = try site.device(.regular)
        #expect(try site.handOver(given).status == 200)
        let before = try site.admin(Self.everything)
        site.script.set(.trouble, at: .token)
        var forged = given
        forged["first_name"] = "Evil"
        #expect(try site.handOver(forged).status == 503)
        #expect(try site.admin(Self.everything) == before)

        // Nobody can tell such a name from a genuine one; apps have had theirs, so it counts for nothing.
        #expect(try site.announcements() == [["Evil"]])
        let next = try site.handOver(try site.device(.regular))
        #expect(next.json["user"]?["name"]?["firstName"] == "Rita")
        #expect(try site.announcements().isEmpty && site.names() == [["Rita", "Rita", "authorized"]])
    }
}

/// A name that an app handed over, of which nobody knows whether Apple took the code beside it.
@Suite struct `A name that waits` {
    /// Has Rita's name wait: the connection breaks once Apple has taken the code.
    private static func leave() throws {
        site.script.set(.broken, at: .token)
        #expect(try site.handOver(try site.device(.regular)).status == 503)
        #expect(try site.people() == [])
    }

    @Test(.apple) func `comes with the person's next sign-in, in a browser, too`() throws {
        try Self.leave()
        let exit = try site.browser().signInAtApple(.regular)
        #expect(exit.value(of: "user")?.contains("Rita") == true)
        #expect(try site.announcements().isEmpty && site.names() == [["Rita", "Rita", "authorized"]])
    }

    @Test(.apple) func `comes late where the person was faster than the try that died`() throws {
        try Self.leave()
        let held = "held_until = announced_at + interval '1 minute'"
        try site.admin("UPDATE upstream_announcements SET \(held)")
        let first = try site.handOver(try site.device(.regular))
        #expect(first.status == 200 && first.json["user"]?["name"] == nil)
        #expect(try site.announcements() == [["Rita"]])

        site.clock.advance(by: .seconds(61))
        let second = try site.handOver(try site.device(.regular))
        #expect(second.json["user"]?["name"]?["firstName"] == "Rita")
        #expect(try site.announcements().isEmpty && site.names() == [["Rita", "Rita", "authorized"]])
    }

    @Test(.apple) func `is in the file of what is kept of its person, and in nobody else's`() async throws {
        try Self.leave()
        // Somebody is at work with it, so that it stays when its person comes.
        try site.admin("UPDATE upstream_announcements SET held_until = announced_at + interval '1 minute'")
        for person in [Performer.regular, .hidden] { #expect(try site.handOver(try site.device(person)).status == 200) }

        let rita = try await site.export(.regular)
        let other = try await site.export(.hidden)

        guard case .array(let names)? = rita["unconfirmedNames"] else { throw TestFailure("none") }
        #expect(names.map { $0["givenName"] } == ["Rita"])
        #expect(names.map { $0["appID"] } == ["com.acme.app"])
        #expect(rita["user"]?["givenName"] == "")
        #expect(other["unconfirmedNames"] == [])
        await #expect(throws: TestFailure.self, "another team has nobody of that name") {
            try await site.export(.regular, in: .rival)
        }
    }

    @Test(.apple) func `comes although the app sends an address without a name`() throws {
        try Self.leave()
        var next = try site.device(.regular)
        next["email"] = "rita@icloud.example"
        #expect(try site.handOver(next).json["user"]?["name"]?["firstName"] == "Rita")
    }

    @Test(.notifications) func `waits through repetitions, and goes with the person who parts`() throws {
        site.script.set(.broken, at: .token)
        let given = try site.device(.regular)
        #expect(try site.handOver(given).status == 503)
        for _ in 0..<2 { #expect(try site.handOver(given).json["error"] == "invalid_grant") }
        #expect(try site.announcements() == [["Rita"]])

        #expect(try site.notification(site.event("consent-revoked", of: .hidden)).status == 200)
        #expect(try site.announcements() == [["Rita"]])
        #expect(try site.notification(site.event("consent-revoked"), id: "notice-2").status == 200)
        #expect(try site.announcements().isEmpty)
    }
}

/// Two handovers of one person at the same time.
@Suite(.apple) struct `Two native handovers at once` {
    @Test(arguments: [true, false]) func `are two sessions of one person, with the name that one of them has`(
        _ isFirst: Bool
    ) async throws {
        let (named, bare) = (try site.device(.regular), try site.device(.regular))
        #expect(named["first_name"] == "Rita")
        let answers = try await site.handOver(
            slowly: isFirst ? named : bare, meanwhile: { try site.handOver(isFirst ? bare : named) })
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(try site.people() == [Performer.regular.subject.rawValue])
        #expect(try site.names() == [["Rita", "Rita", "authorized"]])
        #expect(try site.sessions() == [["2"]] && site.announcements().isEmpty)
        #expect(answers.contains { $0.json["user"]?["name"]?["firstName"] == "Rita" })
    }

    @Test func `do not disturb one another where one is forged`() async throws {
        let spent = try site.device(.regular)
        #expect(try site.handOver(spent).status == 200)
        try site.removePerson(Performer.regular.subject)
        var forged = spent
        forged["first_name"] = "Evil"
        let answers = try await site.handOver(
            slowly: try site.device(.regular), meanwhile: { try site.handOver(forged) })
        #expect(answers.map(\.status) == [400, 200])
        #expect(try site.announcements().isEmpty && site.names() == [["", "", "authorized"]])
    }
}

extension TestSite {
    /// Everything that is kept of somebody, as the team and the person are handed it.
    @discardableResult func export(_ performer: Performer, in team: TeamID = .acme) async throws -> JSONValue {
        let subject = performer.subject
        let (database, loop) = (teams.database, teams.loop)
        let file: [UInt8]? = try await loop.run {
            let export = try await PersonExportStore(database).begin(
                subject, in: team, for: .team, by: .system("test"), from: .local)
            return try await export?.whole()
        }
        guard let file else { throw TestFailure("nobody is called \(subject)") }
        return try JSON.decode(JSONValue.self, from: file)
    }

    /// The first names of what lies aside of Acme's.
    func announcements() throws -> [[String?]] {
        try teams.admin(
            "SELECT form_given_name FROM upstream_announcements WHERE team_id = 'ACMETEAM01' ORDER BY announced_at")
    }

    /// Hands something over, and does something else while Apple takes its time.
    ///
    /// - Returns: the other answer, then the slow one.
    func handOver(slowly given: [String: String], meanwhile body: () throws -> Answer) async throws -> [Answer] {
        var answers: [Answer] = []
        let exchange = try await hold(
            while: { try setOut("/t/ACMETEAM01/auth/native", given) }, then: { answers = [try body()] })
        return [answers[0], try exchange.answer()]
    }
}
