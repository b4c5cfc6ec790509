import Crypto
import Platform
import TestSupport
import Testing

@Suite(.environment) struct `Keys in the console` {
    private static let list = "/console/ACMETEAM01/keys"

    private func issue(_ browser: inout Browser, _ name: String) async throws -> Browser.Answer {
        try await browser.post(Self.list, [("name", name), ("appID", "com.acme.app")])
    }

    @Test func `an issued key is downloaded once and revoked with a reason`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let page = try #require(try await issue(&owner, "Server").location)
        let id = String(page.suffix(10))
        #expect(try await owner.get(page).text.contains("Download AuthKey_\(id).p8"))

        let file = try await owner.post("\(page)/download")
        #expect(file.status == 200)
        #expect(file["content-disposition"] == "attachment; filename=\"AuthKey_\(id).p8\"")
        #expect(file["cache-control"] == "no-store")
        let key = try P256SigningKey(pem: file.text)
        let stored = try environment.identifiers("public_key_pem", of: "keys")
        #expect(stored == [key.publicKey.pem])

        let second = try await owner.post("\(page)/download")
        #expect(second.status == 410)
        #expect(second.text.contains("This key was downloaded already"))
        #expect(!second.text.contains("BEGIN PRIVATE KEY"))

        let revoked = try await owner.post("\(page)/revocation", [("confirmation", id), ("reason", "Leaked")])
        #expect(revoked.status == 303)
        #expect(try await !owner.follow(revoked).text.contains("For your client library"))
        let text = try await owner.get(page).text
        #expect(text.contains("Revoked") && !text.contains("Revoke this key"))
        #expect(try environment.allActions(in: .acme).suffix(3) == ["key.issued", "key.downloaded", "key.revoked"])
    }

    @Test func `a third active key is refused in a clear sentence`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        _ = try await issue(&owner, "One")
        _ = try await issue(&owner, "Two")

        let third = try await issue(&owner, "Three")

        #expect(third.status == 422)
        #expect(third.text.contains("com.acme.app has 2 active keys already"))
        #expect(third.text.contains("value=\"Three\""))
    }

    @Test func `many clicks at once give one file`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let page = try #require(try await issue(&owner, "Server").location)
        let browser = owner

        let statuses = try await race(20) { _ in
            var browser = browser
            return try await browser.post("\(page)/download").status
        }

        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 410 }.count == 19)
    }

    @Test func `a developer sees keys and can neither make, download nor revoke one`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        var developer = try await environment.signedIn("Ben", [TeamID.acme: .developer])
        let page = try #require(try await issue(&owner, "Server").location)

        let text = try await developer.get(page).text
        #expect(text.contains("Fingerprint") && !text.contains("Download AuthKey"))
        #expect(try await issue(&developer, "Mine").status == 403)
        #expect(try await developer.post("\(page)/download").status == 403)
        #expect(try await developer.post("\(page)/revocation").status == 403)
    }
}
