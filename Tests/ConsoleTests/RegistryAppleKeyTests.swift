import Crypto
import Platform
import Registry
import Testing

@testable import Console

@Suite(.environment) struct `Keys from Apple in the console` {
    private static let list = "/console/ACMETEAM01/apple-keys"
    private static let page = "\(list)/KEY1234567"
    private static let pair = P256SigningKey.generate()

    private func form(_ privateKey: String = pair.pem) -> [(String, String)] {
        [
            ("privateKey", privateKey), ("id", "key1234567"), ("teamID", "ABCDE12345"), ("name", "Acme at Apple"),
            ("appID", "com.acme.app"),
        ]
    }

    @Test func `are imported as they were pasted and never shown again`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)
        let pasted = "\r\n   " + Self.pair.pem.replacing("\n", with: "\\n")

        let imported = try await admin.post(Self.list, form(pasted))

        #expect(imported.location == Self.page)
        let text = try await admin.get(Self.page).text
        #expect(text.contains("ABCDE12345") && text.contains("stored encrypted"))
        let line = try #require(Self.pair.pem.split(separator: "\n").dropFirst().first)
        #expect(!text.contains(line))
        let keys = try await admin.get("/console/ACMETEAM01/keys").text
        #expect(keys.contains("Keys from Apple") && keys.contains("Acme at Apple"))
        let signing = try await environment.registry.appleKeys.signingKey(
            #require(.init(rawValue: "KEY1234567")), in: .acme)
        #expect(signing?.pem == Self.pair.pem)
    }

    @Test func `are refused with the reason, and a private key does not travel back`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)

        let wrong = try await admin.post(Self.list, form(Self.pair.publicKey.pem))
        #expect(wrong.status == 422 && wrong.text.contains("This is a public key"))
        #expect(wrong.text.contains("value=\"Acme at Apple\""))

        let nameless = form().map { $0.0 == "name" ? ("name", "") : $0 }
        let refused = try await admin.post(Self.list, nameless)
        #expect(refused.status == 422 && refused.text.contains("Paste it again"))
        #expect(!refused.text.contains("BEGIN PRIVATE KEY-----\n"))
    }

    @Test func `show both versions to who saves later, and go with a reason`() async throws {
        var admin = try await environment.acmeWeb("Ada", .admin)
        _ = try await admin.post(Self.list, form())
        let rename: ([String: String]) -> [(String, String)] = { changes in
            [("name", changes["name"] ?? ""), ("teamID", "ABCDE12345"), ("version", "1")]
        }
        #expect(try await admin.post(Self.page, rename(["name": "First"])).status == 303)

        let late = try await admin.post(Self.page, rename(["name": "Second"]))
        #expect(late.status == 409 && late.text.contains(">First</td>") && late.text.contains(">Second</td>"))

        let stale = [("confirmation", "KEY1234567"), ("reason", "Rotated"), ("version", "1")]
        let refused = try await admin.post("\(Self.page)/deletion", stale)
        #expect(refused.status == 422 && refused.text.contains("was changed meanwhile"))
        let fresh = [("confirmation", "KEY1234567"), ("reason", "Rotated"), ("version", "2")]
        let deleted = try await admin.post("\(Self.page)/deletion", fresh)
        #expect(deleted.location == "/console/ACMETEAM01/keys")
        #expect(try environment.count("apple_keys") == 0)
        #expect(try environment.allActions(in: .acme).suffix(2) == ["apple_key.updated", "apple_key.deleted"])
    }
}
