import Core
import Crypto
import Federation
import Platform
import TestSupport
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// An app deletes an account, and the receipt tells what became of it.
@Suite struct DeleteAccountTests {
    private func delete(_ sub: String?, at client: ClientID = .web, in team: TeamID = .acme, _ engine: Engine)
        async throws -> ReceiptID
    {
        let body = try await engine.respond(
            at: DeleteAccount(server: engine.server, database: engine.database),
            to: try engine.parameters(of: client, in: team, ["sub": sub]), of: try await engine.snapshot(team))
        let json = try JSON.decode(JSONValue.self, from: body)
        let id = try #require(json["receipt"]?.string)
        #expect(json["receipt_url"]?.string == "https://pippin.example/t/\(team)/auth/receipts/\(id)")
        return try #require(ReceiptID(rawValue: id))
    }

    private func receipt(_ id: ReceiptID, _ engine: Engine, in team: TeamID = .acme) async throws -> DeletionReceipt? {
        try await DeletionReceiptStore(engine.database).find(id, in: team)
    }

    @Test func `the person and every token are gone, and the receipt names each`() async throws {
        try await withEngine { engine in
            let web = try await engine.tokens()
            let other = try await engine.tokens(at: .otherWeb)
            let code = try await engine.code()
            let id = try await delete(engine.ada.rawValue, engine)

            #expect(try await !engine.isAlive(web.refreshToken))
            #expect(try await !engine.isAlive(other.refreshToken, .otherWeb))
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.credentialState(of: engine.ada.rawValue) == "notFound")
            let receipt = try #require(try await receipt(id, engine))
            #expect(receipt.tokens.map(\.clientID) == ["com.acme.web"])
            #expect(receipt.tokens.allSatisfy { $0.fate == .revoked && $0.settledAt != nil })
            #expect(receipt.isSettled)
            #expect(try engine.actions().last == "user.deleted")
            let text = String(decoding: receipt.json, as: UTF8.self)
            #expect(!text.contains(engine.ada.rawValue) && !text.contains("acme.example"))
        }
    }

    @Test func `V7, V28: an app's receipt says nothing of other groups, and the team's names them all`() async throws {
        try await withAppServer(of: [.app, .other]) { app, engine in
            _ = try await engine.tokens()
            _ = try await engine.tokens(at: .otherWeb)
            let id = try await delete(engine.ada.rawValue, engine)
            let theirs = try #require(try await receipt(id, engine))
            #expect(theirs.tokens.map(\.clientID) == ["com.acme.web"] && theirs.notifications.map(\.appID) == [.app])

            try engine.admin("UPDATE deletion_receipts SET app_id = NULL")
            #expect(try await receipt(id, engine)?.notifications.map(\.appID) == [.app, .other])
        }
    }

    @Test func `V28: a person's own deletion has a receipt of every token`() async throws {
        try await withTokens { engine, _ in
            _ = try await engine.tokens(at: .otherWeb)
            let id = try await AccountDeletion(engine.database, random: .system).delete(
                engine.ada, in: .acme, by: .person(engine.ada), from: .test)
            let known = try #require(id)
            let receipt = try #require(try await receipt(known, engine))
            #expect(Set(receipt.tokens.map(\.clientID)) == ["com.acme.web", "com.acme.other.web"])
        }
    }

    @Test func `V7, V28: only people of the client's own group can be deleted, and strangers cannot`() async throws {
        try await withTokens { engine, tokens async throws in
            for (sub, client, team) in [
                (engine.ada.rawValue, ClientID.otherWeb, TeamID.acme), (engine.ada.rawValue, .web, .rival),
                (engine.ben.rawValue, .web, .acme), ("nobody", .web, .acme), ("\u{1F34F}", .web, .acme),
            ] {
                let error = await #expect(throws: OAuthError.self) {
                    try await delete(sub, at: client, in: team, engine)
                }
                #expect(error?.code == .invalidRequest && error?.cause == .personUnknown)
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `S37: an app that a person has left is a stranger, whatever it still has of them`() async throws {
        try await withEngine { engine in
            let other = try await engine.tokens(at: .otherWeb)
            let web = try await engine.tokens()
            #expect(try await engine.endConsent(for: .other))
            #expect(try await !engine.isAlive(other.refreshToken, .otherWeb))
            let error = await #expect(throws: OAuthError.self) {
                try await delete(engine.ada.rawValue, at: .otherWeb, engine)
            }
            let stranger = await #expect(throws: OAuthError.self) { try await delete("nobody", at: .otherWeb, engine) }
            #expect(error?.code == stranger?.code && error?.description == stranger?.description)
            #expect(try await engine.isAlive(web.refreshToken))
            // Their own app still deletes them.
            _ = try await delete(engine.ada.rawValue, engine)
        }
    }

    @Test func `S37: an app that signed the person out still deletes them`() async throws {
        try await withTokens { engine, _ in
            try engine.admin("UPDATE refresh_tokens SET revoked_at = now()")
            _ = try await delete(engine.ada.rawValue, engine)
        }
    }

    @Test func `each group that knows a person is told in the team's spelling, and the receipt says so`() async throws {
        try await withAppServer(of: [.app, .other]) { app, engine in
            _ = try await engine.tokens()
            _ = try await engine.tokens(at: .otherWeb)
            try engine.admin("UPDATE teams SET account_delete_event = 'account-deleted'")
            let id = try await delete(engine.ada.rawValue, engine)
            #expect(try await receipt(id, engine)?.isSettled == false)
            try await app.work { try app.states() == ["delivered", "delivered"] }

            let receipt = try #require(try await receipt(id, engine))
            #expect(receipt.isSettled && receipt.notifications.map(\.appID) == [.app])
            for claims in try await app.claims() {
                #expect(try claims.string("events").contains(#""type":"account-deleted""#))
            }
        }
    }

    @Test func `a receipt names its own deletion's notifications, though a person comes and goes again`() async throws {
        try await withAppServer(of: [.app, .other]) { app, engine in
            _ = try await engine.tokens()
            let first = try await delete(engine.ada.rawValue, engine)
            // Whoever comes by way of Apple has the same sub again.
            try engine.admin(
                "INSERT INTO users (team_id, sub, given_name, family_name) VALUES ('ACMETEAM01', $1, 'Ada', 'King')",
                engine.ada.rawValue)
            _ = try await engine.tokens()
            _ = try await engine.tokens(at: .otherWeb)
            let second = try await delete(engine.ada.rawValue, engine)

            #expect(second != first)
            #expect(try await receipt(first, engine)?.notifications.map(\.appID) == [.app])
            #expect(try await receipt(second, engine)?.notifications.map(\.appID) == [.app])
        }
    }

    @Test func `of twenty requests at once one deletes, and all get its receipt`() async throws {
        try await withTokens { engine, _ in
            let receipts = Set(try await race(20) { _ in try await delete(engine.ada.rawValue, engine) })
            #expect(receipts.count == 1)
            #expect(try engine.actions().count { $0 == "user.deleted" } == 1)
        }
    }
}
