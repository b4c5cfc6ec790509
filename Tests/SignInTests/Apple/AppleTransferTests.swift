import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// The team's app goes from one of Apple's teams to another, and Apple gives its people other names (Apple, "Bringing
/// new apps and users into your team").
///
/// Hiro stands for a person before the move, Rita for the same one after it.
@Suite(.apple) struct `A person whom Apple calls otherwise after a transfer` {
    static let name = "760417.transfer.1827"
    private static let old = Performer.hidden.subject.rawValue
    private static let new = Performer.regular.subject.rawValue
    private static let days = 86_400

    /// Has a team name that person in its tokens, for sixty days from now.
    static func announce(_ person: Subject, _ name: String = name, in team: TeamID = .appleSide) throws {
        let now = "\(site.clock.now.seconds)"
        try site.admin(
            """
            INSERT INTO app_transfers (
                team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at
            ) VALUES (
                'RIVALTEAM1', 'aaaaaaaaaaaaaaaaaaaaaaaaaa', $2, 'com.acme.app', '{}', 'accepted',
                now(), greatest(now(), to_timestamp($1))
            ) ON CONFLICT (team_id, transfer_id) DO UPDATE SET settled_at = excluded.settled_at
            """, now, team.rawValue)
        try site.admin("DELETE FROM transferred_people")
        try site.admin(
            """
            INSERT INTO transferred_people (
                team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name,
                family_name, is_email_verified, expires_at, sub
            ) VALUES (
                $4, $1, 'com.acme.app', 'RIVALTEAM1', false, false, false, '', '', false,
                to_timestamp($2) + interval '60 days', $3
            )
            """, name, now, person.rawValue, team.rawValue)
    }

    private static func subject(of exit: Answer) throws -> String? { try site.claims(of: exit)["sub"]?.string }

    private static func identities() throws -> [[String?]] {
        try site.admin(
            "SELECT identifier, sub, transfer_sub FROM upstream_identities WHERE team_id = 'ACMETEAM01' ORDER BY created_at"
        )
    }

    @Test func `stays the same user, with the same sub, under two names of Apple's`() throws {
        try Self.announce(Performer.hidden.subject)
        #expect(try Self.subject(of: try site.browser().signInAtApple(.hidden)) == Self.old)
        site.clock.advance(by: .seconds(60))
        try Self.announce(Performer.regular.subject)

        #expect(try Self.subject(of: try site.browser().signInAtApple(.regular)) == Self.old)
        #expect(try Self.identities() == [[Self.old, Self.old, Self.name], [Self.new, Self.old, Self.name]])
        let people = try site.admin(
            "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub IN ($1, $2)", Self.old, Self.new)
        #expect(people.count == 1)

        // Once known by the new name, no name of a transfer is needed any more.
        site.clock.advance(by: .seconds(61 * Self.days))
        #expect(try Self.subject(of: try site.browser().signInAtApple(.regular)) == Self.old)
    }

    @Test func `is recognised in an app as well, by its token or by the code alone`() throws {
        for names in [["client_id", "code"], ["client_id", "code", "identity_token"]] {
            try Self.announce(Performer.hidden.subject)
            _ = try site.handOver(try site.device(.hidden))
            try Self.announce(Performer.regular.subject)
            let given = try site.device(.regular).filter { names.contains($0.key) }
            #expect(try site.claims(try site.handOver(given))["sub"]?.string == Self.old)
            try site.admin("DELETE FROM upstream_identities WHERE identifier = $1", Self.new)
        }
    }

    @Test func `is named by the team's own sub in the log`() throws {
        try Self.announce(Performer.hidden.subject)
        _ = try site.browser().openAccount(.hidden)
        site.clock.advance(by: .seconds(60))
        try Self.announce(Performer.regular.subject)
        _ = try site.claims(of: try site.browser().signInAtApple(.regular))

        let events = try site.admin(
            """
            SELECT action, actor, target, $2 = ANY (words), $3 = ANY (words) FROM audit_events
            WHERE team_id = $1 AND action IN ('user.created', 'consent.granted') AND actor_kind = 'person'
            ORDER BY at
            """, "ACMETEAM01", Self.old, Self.new)
        #expect(
            events == [
                ["user.created", Self.old, Self.old, "t", "f"], ["consent.granted", Self.old, Self.old, "t", "f"],
            ])
    }

    @Test func `is somebody new where the transfer is one that was over sixty days ago`() throws {
        try Self.announce(Performer.hidden.subject)
        _ = try Self.subject(of: try site.browser().signInAtApple(.hidden))
        site.clock.advance(by: .seconds(61 * Self.days))
        try Self.announce(Performer.regular.subject)
        #expect(try Self.subject(of: try site.browser().signInAtApple(.regular)) == Self.new)
    }

    private static let day = "SELECT transferred_on::text FROM apple_connections WHERE app_id = 'com.acme.app'"

    /// Sets the day of the transfer, as the page of the connection does, and whether they were seen since.
    private func transfer(on day: String?, lastSeen days: Int = 0) throws {
        try site.admin("UPDATE apple_connections SET transferred_on = $1::text::date, version = version + 1", day)
        try site.admin("UPDATE upstream_identities SET last_seen_at = last_seen_at - $1 * interval '1 day'", "\(days)")
        site.clock.advance(by: .seconds(2))
    }

    @Test func `V73: is the same however long they stayed away, for sixty days from the first who is named so`() throws
    {
        try Self.announce(Performer.hidden.subject)
        _ = try Self.subject(of: try site.browser().signInAtApple(.hidden))
        try transfer(on: nil, lastSeen: 300)
        try Self.announce(Performer.regular.subject)

        #expect(try Self.subject(of: try site.browser().signInAtApple(.regular)) == Self.old)
        let today = String(site.clock.now.description.prefix(10))
        #expect(try site.admin(Self.day) == [[today]])
        let events = try site.admin(
            "SELECT actor, after->>'transferredOn' FROM audit_events WHERE action = 'apple_connection.updated'")
        #expect(events == [["apple", today], ["apple", today]])
    }

    @Test(arguments: [(10, true), (70, false)])
    func `V73: is recognised in the sixty days from the day that was entered`(days: Int, isSame: Bool) throws {
        try Self.announce(Performer.hidden.subject)
        _ = try Self.subject(of: try site.browser().signInAtApple(.hidden))
        let day = (site.clock.now - .seconds(days * Self.days)).description.prefix(10)
        try transfer(on: String(day), lastSeen: 300)
        try Self.announce(Performer.regular.subject)
        let subject = try Self.subject(of: try site.browser().signInAtApple(.regular))
        #expect(subject == (isSame ? Self.old : Self.new))
    }

    @Test func `is recognised by nothing that Apple has not signed`() throws {
        try Self.announce(Performer.hidden.subject)
        _ = try Self.subject(of: try site.browser().signInAtApple(.hidden))
        var given = try site.device(.regular)
        let genuine = try UnverifiedJWT(try #require(given["identity_token"]))
        var claims = genuine.unverifiedClaims.members
        claims["transfer_sub"] = .string(Self.name)
        given["identity_token"] = try JWTSigner(key: TestKeys.extra, keyID: try #require(genuine.header.keyID)).sign(
            JSON.encode(JSONValue.object(claims)))

        #expect(try site.handOver(given).json["error"] == "invalid_grant")
        given["identity_token"] = nil
        given["transfer_sub"] = Self.name
        #expect(try site.claims(try site.handOver(given))["sub"]?.string == Self.new)
    }

    @Test func `meets nobody of another team, and nobody who is called otherwise`() throws {
        try site.admin(
            """
            INSERT INTO upstream_identities (
                team_id, provider, identifier, sub, transfer_sub, state_at, created_at, last_seen_at
            ) VALUES ('RIVALTEAM1', 'apple', $1, $1, $2, now(), now(), to_timestamp($3))
            """, site.teams.people.rivalAda.rawValue, Self.name, "\(site.clock.now.seconds)")
        try Self.announce(Performer.hidden.subject, "760417.another.1827")
        _ = try Self.subject(of: try site.browser().signInAtApple(.hidden))
        try Self.announce(Performer.regular.subject)

        #expect(try Self.subject(of: try site.browser().signInAtApple(.regular)) == Self.new)
        let rivals = try site.admin("SELECT sub FROM upstream_identities WHERE team_id = 'RIVALTEAM1'")
        #expect(rivals == [[site.teams.people.rivalAda.rawValue]])
    }
}
