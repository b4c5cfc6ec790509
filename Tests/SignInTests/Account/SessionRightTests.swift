import Core
import Crypto
import HTTP
import Testing

@testable import SignIn
@testable import TestTeams

/// What somebody sets out to change of their own in a session, while another transaction holds them and takes from the
/// session what the change is made by.
@Suite(.apple) struct `A change of one's own` {
    /// What happens meanwhile.
    enum End: String, CaseIterable, Sendable {
        /// Another browser, a mailed link or the team ends the session.
        case session = "DELETE FROM sessions WHERE token_hash = decode($1, 'hex')"
        /// A password or a factor is another.
        case credentials = """
            UPDATE users SET credentials_version = credentials_version + 1
            WHERE sub IN (SELECT sub FROM sessions WHERE token_hash = decode($1, 'hex'))
            """
        /// The proof grows old.
        case proof = """
            UPDATE sessions SET proved_at = proved_at - interval '11 minutes'
            WHERE token_hash = decode($1, 'hex')
            """
    }

    fileprivate static let changes = OwnChange.allCases.flatMap { change in
        End.allCases.filter { $0 != .proof || change.isFresh }.map { (change, $0) }
    }

    @Test(arguments: changes.sampled(1)) func `V54: is not made in a session that is over by then`(
        _ change: OwnChange, _ end: End
    ) async throws { try await Self.prove(change, end) }

    fileprivate static func prove(_ change: OwnChange, _ end: End) async throws {
        let browser = site.browser()
        let form = try change.prepare(browser)
        let cookie = try #require(browser.cookies[Browser.sessionCookie])
        let hash = SHA256.hash(try #require(Base64URL.decode(cookie)))
        let before = try belongings()

        let exchange = try await site.teams.hold(
            site.ada, while: { try browser.set(out: form.path, posting: form.values) },
            then: [(end.rawValue, [Hex.encode(hash)])])

        let answer = try exchange.answer()
        #expect(answer.status == 303)
        #expect(try belongings() == before)
    }

    /// So that none is forgotten.
    @Test func `V54: that is not tried here is none, or is looked at elsewhere`() throws {
        let others = [
            // Ends the very session, for whoever holds it.
            TeamRoutes.sessionEnd.text,
            // Raises the very session, in one statement that finds it or not.
            TeamRoutes.proof.text,
            // Gives back what the form brings.
            TeamRoutes.recoveryCodeFile.text,
            // Hands out what there is, and changes nothing.
            TeamRoutes.ownData.text,
            // Leads to Apple; the session is looked at on the way back (`HeldRowTests`).
            TeamRoutes.ownApple.text,
        ]
        let posts = site.posts.filter { $0.hasPrefix(TeamRoutes.account.text) }
        let sheets = [TeamRoutes.consent.text, TeamRoutes.confirmation.text, TeamRoutes.emailLink.text]
        let tried = OwnChange.allCases.map(\.pattern)
        #expect(Set(posts + sheets).subtracting(tried).subtracting(others).isEmpty)
        #expect(Set(tried).subtracting(posts + sheets).isEmpty)
        #expect(tried.count == Set(tried).count)
    }

    /// What Ada has at Acme, and what was written about her; nothing that only says when.
    private static func belongings() throws -> [[[String?]]] {
        let own = "team_id = 'ACMETEAM01' AND sub = '\(site.ada)'"
        return try [
            "SELECT email, relay_address, given_name FROM users WHERE \(own)",
            "SELECT login FROM login_names WHERE \(own) ORDER BY 1", "SELECT hash FROM passwords WHERE \(own)",
            "SELECT secret_sealed::text FROM totp_secrets WHERE \(own)",
            "SELECT credential_id::text, name FROM passkeys WHERE \(own) ORDER BY 1",
            "SELECT code_hash::text FROM recovery_codes WHERE \(own) ORDER BY 1",
            "SELECT token_hash::text FROM mailed_links WHERE \(own) ORDER BY 1",
            "SELECT identifier FROM upstream_identities WHERE \(own) ORDER BY 1",
            "SELECT app_id, forwards_mail::text FROM consents WHERE \(own) ORDER BY 1",
            "SELECT count(*)::text FROM authorization_codes WHERE \(own)",
            "SELECT action FROM audit_events WHERE team_id = 'ACMETEAM01' ORDER BY 1",
            "SELECT count(*)::text FROM jobs WHERE kind = 'mail.send'",
        ].map { try site.admin($0) }
    }
}

/// Each change with each end.
@Suite(.apple) struct SessionRightLongTests {
    @Test(arguments: `A change of one's own`.changes)
    func `V54: nothing of one's own is changed in a session that is over by then`(
        _ change: OwnChange, _ end: `A change of one's own`.End
    ) async throws { try await `A change of one's own`.prove(change, end) }
}
