import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// People go from Acme to Rival with their app (Apple, TN3159).
@Suite struct TransferTests {
    @Test func `a person has one name to a team, becomes one user there, and is named in id_tokens`() async throws {
        try await withMovedApp { engine in
            let first = try await engine.transferName()
            #expect(try await engine.transferName() == first)
            #expect(first != engine.ada.rawValue)

            let arrived = try await engine.migrate(["transfer_sub": first], in: .rival)
            let sub = try #require(arrived["sub"]?.string)
            #expect(sub != engine.ada.rawValue && arrived["email"] == nil)
            #expect(try await engine.migrate(["transfer_sub": first], in: .rival) == arrived)
            let rows = try engine.admin(
                "SELECT given_name, email FROM users WHERE team_id = 'RIVALTEAM1' AND sub = $1", sub)
            // Rival's own Ada has that login name: accounts are never joined because an address matches.
            #expect(rows == [["Ada", "ada@acme.example"]])
            #expect(sub != engine.rivalAda.rawValue)

            let person = try #require(Subject(rawValue: sub))
            let answer = try await engine.signIn(person, to: .otherWeb, Engine.fullRequest, in: .rival)
            #expect(answer["user"] == nil, "it was delivered long ago")
            let proof: Changes = ["client_secret": try engine.teams.secret(of: .otherWeb, in: .rival, key: .acmeOther)]
            let tokens = try await engine.redeem(try #require(answer["code"]), .otherWeb, in: .rival, proof)
            let claims = try await engine.claims(tokens.idToken, in: .rival)
            #expect(try claims.string("transfer_sub") == first && claims.string("sub") == sub)
            // A program that has no token of theirs asks for it.
            #expect(try await engine.movedCredential(of: sub)["transfer_sub"]?.string == first)
            engine.clock.advance(by: .seconds(60 * 86_400))
            #expect(try await engine.movedCredential(of: sub)["transfer_sub"] == nil)
        }
    }

    @Test func `the address of someone who hides it stays behind, and a new relay address is told`() async throws {
        try await withEngine { engine in
            _ = try await engine.signIn(to: .otherWeb, Engine.fullRequest, email: .hidden)
            try await engine.moveApp()
            let arrived = try await engine.migrate(["transfer_sub": try await engine.transferName()], in: .rival)
            #expect(arrived["is_private_email"] == true)
            let relay = try #require(arrived["email"]?.string)
            #expect(relay.hasSuffix("@relay.example"))
            let rows = try engine.admin(
                "SELECT email FROM users WHERE team_id = 'RIVALTEAM1' AND relay_address = $1", relay)
            #expect(rows == [[nil]])
            let old = try engine.admin(
                "SELECT relay_address FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1", engine.ada.rawValue)
            #expect(old != [[relay]])
        }
    }

    @Test func `of twenty questions at once for one person one makes a user, and all get one name`() async throws {
        try await withMovedApp { engine in
            let names = Set(try await race(20) { _ in try await engine.transferName() })
            let name = try #require(names.first)
            let answers = Set(try await race(20) { _ in try await engine.migrate(["transfer_sub": name], in: .rival) })
            #expect(names.count == 1 && answers.count == 1)
        }
    }

    @Test func `S38: whoever was deleted there is not revived by their name, for any app`() async throws {
        try await withMovedApp { engine in
            let question: Changes = ["transfer_sub": try await engine.transferName()]
            let first = try #require(try await engine.migrate(question, in: .rival)["sub"]?.string)
            let deletion = AccountDeletion(engine.database, random: .system)
            _ = try await deletion.delete(
                try #require(Subject(rawValue: first)), in: .rival, by: .command("test"), from: .test)
            let people = try engine.admin("SELECT sub FROM users WHERE team_id = 'RIVALTEAM1'")

            #expect(try await engine.refusal(migrating: question, in: .rival) == .personUnknown)
            #expect(try engine.admin("SELECT sub FROM users WHERE team_id = 'RIVALTEAM1'") == people)
        }
    }

    @Test func `after sixty days nobody can be moved, and tokens name nobody`() async throws {
        try await withMovedApp { engine in
            let transferSub = try await engine.transferName()
            engine.clock.advance(by: .seconds(60 * 86_400) - .seconds(1))
            let arrived = try await engine.migrate(["transfer_sub": transferSub], in: .rival)
            engine.clock.advance(by: .seconds(1))
            #expect(try await engine.refusal(migrating: ["transfer_sub": transferSub], in: .rival) == .transferClosed)
            let question: Changes = ["sub": engine.ada.rawValue, "target": "RIVALTEAM1"]
            #expect(try await engine.refusal(migrating: question, in: .acme) == .transferClosed)
            #expect(arrived["sub"] != nil)
        }
    }

    @Test func `strangers, other targets, wrong tokens and teams without a transfer are refused`() async throws {
        try await withEngine { engine in
            let people = engine.teams.people
            _ = try await engine.tokens(at: .otherWeb)
            let question: Changes = ["sub": engine.ada.rawValue, "target": "RIVALTEAM1"]
            #expect(try await engine.refusal(migrating: question, in: .acme) == .transferClosed)
            try await engine.moveApp()
            for (changes, cause) in [
                (["sub": people.ben.rawValue, "target": "RIVALTEAM1"], .personUnknown),
                (["sub": "nobody", "target": "RIVALTEAM1"], .personUnknown),
                (["sub": engine.ada.rawValue, "target": "ACMETEAM01"], .transferClosed),
                (["sub": engine.ada.rawValue], .parameterMissing), ([:], .parameterMissing),
            ] as [(Changes, RefusalCause)] {
                #expect(try await engine.refusal(migrating: changes, in: .acme) == cause, "\(changes)")
            }
            #expect(try await engine.refusal(migrating: ["transfer_sub": "nobody"], in: .rival) == .personUnknown)
            let foreign = try await engine.clientToken().accessToken
            for token in ["", "garbage", foreign] {
                #expect(try await engine.refusal(migrating: question, in: .acme, token: token) == .accessTokenWrong)
            }
            let own = try await engine.tokens(at: .otherWeb).accessToken
            #expect(try await engine.refusal(migrating: question, in: .acme, token: own) == nil)
        }
    }

    @Test func `V28: a team puts people only where it was let in, and sees nothing of them there`() async throws {
        try await withEngine { engine in
            _ = try await engine.tokens(at: .otherWeb)
            let database = engine.database
            let insertion: SQL = """
                INSERT INTO transferred_people (
                    team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email,
                    given_name, family_name, is_email_verified, expires_at
                ) VALUES (
                    'RIVALTEAM1', 'x', 'com.acme.other', 'ACMETEAM01', false, false, false, '', '', false, now()
                ) ON CONFLICT DO NOTHING
                """
            await #expect(throws: PostgresFailure.self) { try await database.query(insertion, in: .acme) }
            try await engine.moveApp()
            _ = try await engine.transferName()
            #expect(try await database.query("SELECT FROM transferred_people", in: .acme).isEmpty)
            #expect(try await database.query("SELECT FROM transferred_people", in: .rival).count == 1)
            #expect(try await database.query("SELECT FROM transfer_subs", in: .rival).isEmpty)
            await #expect(throws: PostgresFailure.self) {
                try await database.query("UPDATE app_transfers SET app_id = 'com.rival.app'", in: .rival)
            }
            let changed = try await database.query("UPDATE app_transfers SET state = 'declined'", in: .rival).changed
            #expect(changed == 0, "what is settled stays settled")
        }
    }
}
