import Platform
import Testing

@Suite(.environment) struct `Signing keys in the console` {
    private static let list = "/console/ACMETEAM01/signing-keys"

    @Test func `the next key is published by hand, once, and the page says what will happen`() async throws {
        try await environment.addSigningKey()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let before = try await owner.get(Self.list).text
        #expect(before.contains("RS256") && before.contains("2048 bit") && before.contains("Active"))
        #expect(before.contains("The next key is published on"))

        let answer = try await owner.post("\(Self.list)/rotations")
        let after = try await owner.follow(answer).text
        #expect(after.contains("It signs from tomorrow on") && after.contains("is published and signs from"))
        #expect(try await owner.follow(try await owner.post("\(Self.list)/rotations")).text.contains("already"))
        #expect(try environment.count("signing_keys") == 2)
        #expect(try environment.allActions(in: .acme).last == "signing_key.rotated")
    }

    @Test func `no next key is promised to a team that is closed`() async throws {
        try await environment.addSigningKey()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        try environment.admin(
            "UPDATE teams SET deletion_due_at = now(), closed_at = now() WHERE team_id = 'ACMETEAM01'")

        let page = try await owner.get(Self.list)
        #expect(page.status == 200 && page.text.contains("RS256"))
        #expect(!page.text.contains("published by itself") && !page.text.contains("takes over by itself"))
        #expect(!page.text.contains("\(Self.list)/rotations"))
    }

    @Test func `replacing at once asks for the Team ID and a reason`() async throws {
        try await environment.addSigningKey()
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let path = "\(Self.list)/replacement"
        let refused = try await owner.post(path, [("confirmation", "RIVALTEAM1"), ("reason", "Leaked")])
        #expect(refused.status == 422)
        let near = try await owner.post(path, [("confirmation", "acmeteamO1"), ("reason", "Leaked")])
        #expect(near.status == 422 && near.text.contains(#"value="acmeteamO1""#))
        #expect(
            near.text.contains("character 9 is the letter O, but should be the digit 0")
                && near.text.contains(#"value="Leaked""#))
        let old = try environment.signingKeyIDs()

        let done = try await owner.post(path, [("confirmation", "acmeteam01"), ("reason", "Leaked")])
        #expect(done.status == 303)
        let new = try environment.signingKeyIDs()
        #expect(new.count == 1 && new != old)
        #expect(try environment.allActions(in: .acme).last == "signing_key.replaced")
    }
}
