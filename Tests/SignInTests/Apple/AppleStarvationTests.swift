import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Simulator
import Testing

@testable import Federation
@testable import OAuth
@testable import TestTeams

/// Answers that anybody may post, beside those that hold somebody's name.
@Suite(.apple) struct `Answers that cannot be settled` {
    @Test func `of one team, however many, keep no other team's name waiting`() async throws {
        site.publishExtraKey()
        try await site.teams.loop.run {
            try await site.teams.connectRival()
            for _ in 0..<300 { try await site.answer(to: .acme, keyID: "NOSUCHKEY1") }
            try await site.answer(to: .rival, keyID: "EXTRAKEY01")
        }
        site.clock.advance(by: .seconds(121))
        try await site.withProcess { try await $0.settle() }
        let vault = try site.admin("SELECT team_id, form_given_name FROM upstream_identities")
        #expect(vault == [["RIVALTEAM1", "Rita"]])
        // Apple's keys were fetched since, so that nothing is waited for.
        #expect(try site.admin("SELECT FROM upstream_requests WHERE settled_at IS NULL").isEmpty)
    }

    @Test func `V43: of one team, more than a round takes, leave the next round's first turn to another`() async throws
    {
        site.publishExtraKey()
        try await site.teams.loop.run {
            try await site.teams.connectRival()
            for _ in 0..<12 { try await site.answer(to: .acme, keyID: "EXTRAKEY01") }
            try await site.answer(to: .rival, keyID: "EXTRAKEY01")
        }
        site.clock.advance(by: .seconds(121))
        let vault = "SELECT form_given_name FROM upstream_identities WHERE team_id = 'RIVALTEAM1'"
        try await site.withProcess { process in
            try await process.settle(rounds: 1, of: 4)
            #expect(try site.admin(vault).isEmpty)
            try await process.settle(rounds: 2, of: 4)
            #expect(try site.admin(vault) == [["Rita"]])
        }
    }

    @Test func `S18, V43: are ten thousand of a team at most, also while Apple's keys cannot be had`() async throws {
        try await site.teams.loop.run {
            try await site.teams.connectRival()
            for team in [TeamID.acme, .rival] { try await site.answer(to: team, keyID: "NOSUCHKEY1") }
        }
        for team in ["ACMETEAM01", "RIVALTEAM1"] {
            try site.admin(
                """
                INSERT INTO upstream_requests (
                    team_id, state_hash, provider, interaction_id, browser_hash, app_id, wants_name, wants_email,
                    created_at, answered_at, settle_at
                )
                SELECT $1, convert_to('old' || n, 'UTF8'), 'apple', '', '', 'com.acme.app', true, true, moment,
                    moment, moment + interval '1 day'
                FROM generate_series(1, 10050) AS n, (SELECT $2::timestamptz AS moment) AS planted
                """, team, (site.clock.now - .seconds(3600)).description)
        }
        site.clock.advance(by: .seconds(121))
        site.script.set(.trouble, at: .keys, times: 99)
        try await site.withProcess { try await $0.settle() }
        let left = try site.admin("SELECT count(*) FROM upstream_requests WHERE interaction_id = '' GROUP BY team_id")
        #expect(left == [["10000"], ["10000"]])
    }

    @Test func `wait twice as long each time while Apple's keys cannot be had`() async throws {
        try await site.teams.loop.run { try await site.answer(to: .acme, keyID: "NOSUCHKEY1") }
        site.clock.advance(by: .seconds(121))
        site.script.set(.trouble, at: .keys, times: 99)
        try await site.withProcess { process in
            for (pause, tries) in [(0, "1"), (59, "1"), (1, "2"), (119, "2"), (1, "3")] {
                site.clock.advance(by: .seconds(pause))
                try await process.settle()
                #expect(try site.admin("SELECT settle_tries FROM upstream_requests") == [[tries]])
            }
        }
    }

    @Test func `since nobody can open them are settled by that`() async throws {
        try await site.teams.loop.run { try await site.answer(to: .acme, keyID: "NOSUCHKEY1") }
        try site.admin("UPDATE upstream_requests SET answer_sealed = '\\x00'")
        site.clock.advance(by: .seconds(121))
        try await site.withProcess { try await $0.settle() }
        #expect(try site.admin("SELECT FROM upstream_requests WHERE settled_at IS NULL").isEmpty)
    }
}

extension TestSite {
    /// An answer with Rita's name to a request whose browser is gone, signed by a key of that name; called on the loop.
    fileprivate func answer(to team: TeamID, keyID: String) async throws {
        let upstreamRequests = UpstreamRequestStore(teams.database, server: teams.server, timeout: .seconds(20))
        let primaryAppID = team == .acme ? ClientID.app : .rivalApp
        let scope = AuthorizationRequest.Scope(name: true, email: true)
        let (now, id) = (teams.clock.now, InteractionID(at: teams.clock.now, random: teams.server.random))
        let upstreamRequest = upstreamRequests.upstreamRequests.begin(.apple, for: primaryAppID, scope, in: team)
        try await upstreamRequests.begin(
            upstreamRequest, to: .apple, .signIn(id), isForApp: true, browserHash: [1], in: team, at: now)
        let claims: [String: JSONValue] = [
            "iss": .string(teams.server.base(of: .appleSide)), "aud": .string(ClientID.siwa.rawValue),
            "sub": .string(Performer.regular.subject.rawValue), "nonce": .string(upstreamRequest.nonce),
            "iat": .integer(Int64(now.seconds)), "exp": .integer(Int64(now.seconds) + 600),
        ]
        let token = try JWTSigner(key: TestKeys.extra, keyID: keyID).sign(JSON.encode(JSONValue.object(claims)))
        let fields = [
            FormCoding.Field("code", "c"), FormCoding.Field("id_token", token),
            FormCoding.Field("user", #"{"name":{"firstName":"Rita","lastName":"Regular"}}"#),
            FormCoding.Field("state", upstreamRequest.state),
        ]
        try await upstreamRequests.keep(
            UpstreamResponse(try ProtocolParameters(fields)),
            for: UpstreamReturn(state: upstreamRequest.state, receipt: ReturnReceipt(random: teams.server.random)),
            in: team, at: now)
    }
}
