import Domain
import Testing

@testable import Console

@Suite struct `Transfers in the console` {
    private static let acme = "/console/ACMETEAM01/transfers"
    private static let rival = "/console/RIVALTEAM1/transfers"

    private func offer(_ browser: inout Browser, to target: String = "RIVALTEAM1") async throws
        -> Browser.Answer
    {
        try await browser.post(Self.acme, [("appID", "com.acme.app"), ("target", target)])
    }

    /// The last segment but one of the first form's address.
    private func id(_ text: String, _ verb: String) throws -> String {
        let head = try #require(text.between("/transfers/", "/\(verb)"))
        return try #require(head.split(separator: "/").last.map(String.init))
    }

    @Test func `an owner offers an App ID, and an owner of the other team takes it`() async throws {
        try await withWorld { world in
            _ = try await world.addAcmeWeb()
            var ada = try await world.signedIn("Ada", [World.acme: .owner])
            var cleo = try await world.signedIn("Cleo", [World.rival: .owner])
            #expect(
                try await ada.follow(try await offer(&ada, to: " rivalteam1 ")).text.contains("It is offered")
            )
            #expect(try await ada.get(Self.acme).text.contains("Take back"))

            let theirs = try await cleo.get(Self.rival).text
            #expect(theirs.contains("From ACMETEAM01") && theirs.contains("com.acme.web"))
            let answer = try await cleo.post("\(Self.rival)/\(try id(theirs, "acceptance"))/acceptance")
            let page = try await cleo.follow(answer).text
            #expect(page.contains("It is yours") && page.contains("com.acme.app"))
            #expect(try await ada.get(Self.acme).text.contains("People can be moved until"))
        }
    }

    @Test func `what is wrong with an offer is said beside its field`() async throws {
        try await withWorld { world in
            _ = try await world.addAcmeWeb()
            var ada = try await world.signedIn("Ada", [World.acme: .owner])
            for (target, words) in [
                ("NOSUCHTEAM", "There is no team with this ID"), ("ACMETEAM01", "That is this team"),
                ("x", "There is no team with this ID"),
            ] {
                let answer = try await offer(&ada, to: target)
                #expect(answer.status == 422)
                #expect(answer.text.contains(words) && answer.text.contains("value=\"\(target)\""))
            }
        }
    }

    @Test func `it is an owner's, and no third team sees or answers it`() async throws {
        try await withWorld { world in
            _ = try await world.addAcmeWeb()
            var ada = try await world.signedIn("Ada", [World.acme: .owner])
            var ben = try await world.signedIn("Ben", [World.acme: .admin, World.rival: .admin])
            #expect(try await offer(&ben).status == 403)
            _ = try await offer(&ada)
            let text = try await ada.get(Self.acme).text
            let transfer = try id(text, "withdrawal")
            #expect(try await ben.post("\(Self.rival)/\(transfer)/acceptance").status == 403)
            #expect(try await ada.post("\(Self.acme)/\(transfer)/acceptance").status == 404)
            #expect(try await ada.post("\(Self.acme)/\(transfer)/withdrawal").status == 303)
            #expect(try await ada.post("\(Self.acme)/\(transfer)/withdrawal").status == 404)
        }
    }
}
