import Accounts
import Core
import HTTP
import Platform
import Registry
import SignIn
import Testing

@testable import Console

@Suite struct `Transfers in the console` {
    private static let acme = "/console/ACMETEAM01/transfers"
    private static let rival = "/console/RIVALTEAM1/transfers"

    private func offer(_ browser: inout Browser, to target: String = "RIVALTEAM1") async throws -> Browser.Answer {
        try await browser.post(Self.acme, [("appID", "com.acme.app"), ("target", target)])
    }

    /// The last segment but one of the first form's address.
    private func id(_ text: String, _ verb: String) throws -> String {
        let head = try #require(text.between("/transfers/", "/\(verb)"))
        return try #require(head.split(separator: "/").last.map(String.init))
    }

    @Test(.environment) func `an owner offers an App ID, and an owner of the other team takes it`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        #expect(try await ada.follow(try await offer(&ada, to: " rivalteam1 ")).text.contains("It is offered"))
        #expect(try await ada.get(Self.acme).text.contains("Take back"))

        let theirs = try await cleo.get(Self.rival).text
        #expect(theirs.contains("From ACMETEAM01") && theirs.contains("com.acme.web"))
        let acceptance = "\(Self.rival)/\(try id(theirs, "acceptance"))/acceptance"
        let confirmation = [("confirmation", "com.acme.app"), ("reason", "bought")]
        let answer = try await cleo.post(acceptance, confirmation)
        let page = try await cleo.follow(answer).text
        #expect(page.contains("It is yours") && page.contains("com.acme.app"))
        #expect(try await ada.get(Self.acme).text.contains("People can be moved until"))
    }

    @Test(.environment, arguments: [("acceptance", "accepted"), ("refusal", "declined")])
    func `V71: an answer is in the logs of both teams, who gave it and why in that of their own alone`(
        verb: String, state: String
    ) async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        _ = try await offer(&ada)
        let answer = "\(Self.rival)/\(try id(try await cleo.get(Self.rival).text, "acceptance"))/\(verb)"
        #expect(
            try await cleo.post(answer, [("confirmation", "com.acme.app"), ("reason", "bought in May")]).status == 303)

        let events = try environment.admin(
            """
            SELECT team_id, actor_kind, actor, ip, after->>'from', after->>'to', after->>'reason' FROM audit_events
            WHERE action = $1 AND target = 'com.acme.app' ORDER BY team_id
            """, "app_transfer.\(state)")
        #expect(events.count == 2)
        #expect(events[0] == ["ACMETEAM01", "system", "transfer", nil, "ACMETEAM01", "RIVALTEAM1", nil])
        let reason = state == "accepted" ? "bought in May" : nil
        #expect(events[1][0] == "RIVALTEAM1" && events[1][2] == cleo.subject?.rawValue && events[1][6] == reason)
    }

    @Test(.environment) func `what is wrong with an offer is said beside its field`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        for (target, words) in [
            ("PIPPIN0000", "A Team ID has 10"), ("ACMETEAM01", "That is this team"), ("x", "A Team ID has 10"),
        ] {
            let answer = try await offer(&ada, to: target)
            #expect(answer.status == 422)
            #expect(answer.text.contains(words) && answer.text.contains("value=\"\(target)\""))
        }
    }

    @Test(.environment) func `it is an owner's, and no third team sees or answers it`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin, TeamID.rival: .admin])
        #expect(try await offer(&ben).status == 403)
        _ = try await offer(&ada)
        let text = try await ada.get(Self.acme).text
        let transfer = try id(text, "withdrawal")
        #expect(try await ben.post("\(Self.rival)/\(transfer)/acceptance").status == 403)
        #expect(try await ada.post("\(Self.acme)/\(transfer)/acceptance").status == 404)
        #expect(try await ada.post("\(Self.acme)/\(transfer)/withdrawal").status == 303)
        #expect(try await ada.post("\(Self.acme)/\(transfer)/withdrawal").status == 404)
    }

    @Test(.environment) func `S19: shows all that comes along, and is taken only once it is confirmed`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        try environment.setNotificationURL("https://acme.example/notices")
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        _ = try await offer(&ada)
        let theirs = try await cleo.get(Self.rival).text
        let acceptance = "\(Self.rival)/\(try id(theirs, "acceptance"))/acceptance"

        let page = try await cleo.get(acceptance)
        let urls = try environment.admin("SELECT url FROM return_urls WHERE team_id = 'ACMETEAM01'")
        let domains = try environment.admin("SELECT domain FROM service_domains WHERE team_id = 'ACMETEAM01'")
        #expect(!urls.isEmpty)
        for text in (urls + domains).compactMap({ $0[0] }) { #expect(page.text.contains(text)) }
        for text in ["com.acme.app", "com.acme.web", "https://acme.example/notices", "0 people used"] {
            #expect(page.text.contains(text), "\(text)")
        }
        for form in [[], [("confirmation", "com.acme.web"), ("reason", "x")]] {
            #expect(try await cleo.post(acceptance, form).status == 422)
        }
        #expect(try environment.count("app_ids", in: .rival) == 0)
        #expect(try await ada.get(acceptance.replacing("RIVALTEAM1", with: "ACMETEAM01")).status == 404)
    }

    @Test func `S19: to a team that does not exist is answered as one to a team that does`() async throws {
        var pages: [[String]] = []
        for target in ["RIVALTEAM1", "NOSUCHTEAM"] {
            try await withEnvironment {
                var ada = try await environment.acmeWeb("Ada", .owner)
                let answer = try await offer(&ada, to: target)
                #expect(answer.status == 303)
                let shown = [try await ada.follow(answer), try await ada.get(Self.acme)]
                pages.append(shown.map { words(of: $0.text.replacing(target, with: "TEAM")) })
            }
        }
        #expect(pages[0] == pages[1])
        #expect(pages[0][0].contains("It is offered") && pages[0][1].contains("To TEAM"))
    }

    /// What a page says, without its tags and its numbers: ids and times differ.
    private func words(of page: String) -> String {
        var (words, isTag) = ("", false)
        for octet in page.utf8 {
            if octet == UInt8(ascii: "<") { isTag = true }
            if !isTag, !"0123456789".utf8.contains(octet) { words.unicodeScalars.append(Unicode.Scalar(octet)) }
            if octet == UInt8(ascii: ">") { isTag = false }
        }
        return words
    }

    @Test(.environment) func `V45, V54: is refused to an owner no longer, whatever the page asked before`() async throws
    {
        let ben = try await environment.acmeWeb("Ben", .admin)
        let member = Actor.member(try #require(ben.subject))
        let app = try #require(ClientID(rawValue: "com.acme.app"))
        let transfers = AppTransfers(environment.parts.database, server: environment.parts.server)
        await #expect(throws: TransferRefusal.notAllowed) {
            _ = try await transfers.offer(app, to: .rival, in: .acme, by: member, from: TestEnvironment.origin)
        }
        #expect(try environment.count("app_transfers") == 0)
    }

    @Test(.environment) func `V45, V54: is taken by an owner no longer, whatever the page asked before`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        _ = try await offer(&ada)
        let id = try #require(try environment.admin("SELECT transfer_id FROM app_transfers")[0][0])
        let ben = try await environment.signedIn("Ben", [TeamID.rival: .admin])
        let member = Actor.member(try #require(ben.subject))
        let transfers = AppTransfers(environment.parts.database, server: environment.parts.server)
        await #expect(throws: TransferRefusal.notAllowed) {
            _ = try await transfers.accept(
                try #require(TransferID(rawValue: id)), because: "bought", policy: .hostNames, in: .rival, by: member,
                from: TestEnvironment.origin)
        }
        #expect(try environment.transferStates() == ["offered"])
        #expect(try environment.count("app_ids", in: .rival) == 0)
    }

    @Test(.environment) func `V43: is not taken by a team that took a hundred in a day, which reads that it stands`()
        async throws
    {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        _ = try await offer(&ada)
        let theirs = try await cleo.get(Self.rival).text
        let acceptance = "\(Self.rival)/\(try id(theirs, "acceptance"))/acceptance"
        try environment.admin("INSERT INTO teams (team_id, name, mode) VALUES ('OTHERTEAM1', 'Other', 'sandbox')")
        try environment.addTransfers(
            100, from: "OTHERTEAM1", to: "RIVALTEAM1", at: environment.parts.server.clock().description)

        let answer = try await cleo.post(acceptance, [("confirmation", "com.acme.app"), ("reason", "bought")])

        let page = try await cleo.follow(answer).text
        #expect(page.contains("The offer stays open") && page.contains("From ACMETEAM01"))
        #expect(try environment.count("app_ids", in: .rival) == 0)
    }

    @Test(.environment) func `V45: ends with the right of the owner who made it`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .owner])
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        _ = try await offer(&ben)
        let theirs = try await cleo.get(Self.rival).text
        let acceptance = "\(Self.rival)/\(try id(theirs, "acceptance"))/acceptance"
        let role = MemberRoutes.role.link(TeamID.acme, try #require(ben.subject))
        #expect(try await ada.post(role, [("was", "owner"), ("role", "admin")]).status == 303)

        let confirmation = [("confirmation", "com.acme.app"), ("reason", "bought")]
        #expect(try await cleo.post(acceptance, confirmation).status == 404)
        #expect(try await ada.get(Self.acme).text.contains("Withdrawn"))
    }
}
