import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// An App ID is offered by Acme and taken by Rival.
@Suite struct TransferOfferTests {
    @Test func `what is accepted is registered as it was, and works at both teams`() async throws {
        try await withEngine { engine in
            _ = try await engine.tokens(at: .otherWeb)
            try engine.admin("UPDATE app_ids SET issuer = 'apple' WHERE identifier = 'com.acme.other'")
            try await engine.moveApp()
            #expect(try await engine.snapshot(.rival).client(.other)?.issuesAsApple == true)
            let client = try #require(try await engine.snapshot(.rival).client(.otherWeb))
            #expect(client.primaryAppID == .other && client.hasReturnURL(TestTeams.queryCallback))
            #expect(try await engine.credentialState(of: engine.ada.rawValue, at: .otherWeb) == "transferred")
            _ = try await engine.tokens(at: .otherWeb)
            #expect(try engine.actions(in: .rival).contains("app_transfer.accepted"))
        }
    }

    @Test func `whose app went is transferred for good, and authorized where they arrived`() async throws {
        try await withEngine { engine in
            _ = try await engine.tokens(at: .otherWeb)
            _ = try await engine.tokens()
            try await engine.moveApp()
            let ada = engine.ada.rawValue
            let arrived = try await engine.migrate(["transfer_sub": try await engine.transferName()], in: .rival)
            let sub = try #require(arrived["sub"]?.string)

            engine.clock.advance(by: AppTransfer.window + .seconds(86_400))

            #expect(try await engine.credentialState(of: ada, at: .otherWeb) == "transferred")
            // Apps that stayed know nothing of it.
            #expect(try await engine.credentialState(of: ada) == "authorized")
            #expect(try await engine.movedState(of: sub) == "authorized")
            #expect(try await engine.movedState(of: ada) == "notFound")
        }
    }

    @Test func `groups are ungrouped first, and one offer stands at a time`() async throws {
        try await withEngine { engine in
            for (app, target, expected) in [
                (ClientID.app, TeamID.rival, TransferRefusal.grouped), (.sister, .rival, .grouped),
                (.named("com.acme.nobody"), .rival, .unknownApp), (.other, .acme, .ownTeam),
            ] { await #expect(throws: expected) { _ = try await engine.offer(app, to: target) } }
            await #expect(throws: TransferRefusal.unknownTeam) { _ = try await engine.offer(to: .system) }
            let id = try await engine.offer()
            await #expect(throws: TransferRefusal.underWay) { _ = try await engine.offer() }
            #expect(try await engine.accept(id) == .other)
            await #expect(throws: TransferRefusal.underWay) { _ = try await engine.offer() }
        }
    }

    @Test func `only the other team accepts, only this one takes back, and nothing is accepted twice`() async throws {
        try await withEngine { engine in
            let id = try await engine.offer()
            #expect(try await engine.accept(id, in: .acme) == nil)
            let transfers = engine.transfers
            let isTaken = try await transfers.withdraw(id, in: .rival, by: Engine.member, from: .test)
            #expect(!isTaken)
            let isDeclined = try await transfers.decline(id, in: .acme, by: Engine.member, from: .test)
            #expect(!isDeclined)
            #expect(try await transfers.withdraw(id, in: .acme, by: Engine.member, from: .test))
            #expect(try await engine.accept(id) == nil)
            let second = try await engine.offer()
            #expect(try await transfers.decline(second, in: .rival, by: Engine.member, from: .test))
            let third = try await engine.offer()
            #expect(try await engine.accept(third) == .other)
            #expect(try await engine.accept(third) == nil)
        }
    }

    @Test func `what Rival has registered already stands in the way, and nothing is half taken`() async throws {
        try await withEngine { engine in
            let draft = try AppID.Draft("COM.acme.other.WEB", ["description": "Mine"], policy: .hostNames)
            _ = try await engine.database.change(in: .rival, by: Engine.member, from: .test) { change in
                try await AppIDStore(engine.database).create(draft, change)
            }
            let id = try await engine.offer()
            await #expect(throws: ValidationError.self) { _ = try await engine.accept(id) }
            #expect(try engine.transferStates() == ["offered"])
            #expect(try await AppIDStore(engine.database).find(.other, in: .rival) == nil)
        }
    }
}
