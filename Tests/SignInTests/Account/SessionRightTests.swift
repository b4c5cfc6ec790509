import Core
import Crypto
import HTTP
import Simulator
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
        /// It turns out to be a session that began at Apple, by no factor of the person's.
        case factor = """
            UPDATE sessions SET first_factor = 'apple', second_factor = NULL WHERE token_hash = decode($1, 'hex')
            """
    }

    fileprivate static let changes = OwnChange.allCases.flatMap { change in
        End.allCases.filter { ($0 != .proof || change.isFresh) && ($0 != .factor || change.isOverFactors) }.map {
            (change, $0)
        }
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

    /// How a session may have begun and gone on, and whether a factor of the person's was asked for in it.
    private static let sessions: [(first: String, second: String?, isByFactor: Bool)] = [
        ("apple", nil, false), ("apple", "totp", true), ("passkey", nil, true), ("password", "recovery_code", true),
        ("mailed_link", "totp", true),
    ]

    @Test(arguments: OwnChange.allCases.filter(\.isOverFactors))
    func `V34, V72: of a factor asks for one first, however the session began`(_ change: OwnChange) throws {
        let browser = site.browser()
        for session in Self.sessions {
            let form = try change.prepare(browser)
            try site.admin("UPDATE sessions SET first_factor = $1, second_factor = $2", session.first, session.second)

            let answer = try browser.post(form.path, form.values)

            let isAsked = answer["Location"]?.hasPrefix("\(Browser.account)/proof?next=") == true
            #expect(answer.status < 400 && isAsked != session.isByFactor, "\(change) \(session)")
            for table in ["passkeys", "totp_secrets", "recovery_codes"] { try site.admin("DELETE FROM \(table)") }
        }
    }

    @Test func `V34, V72: of a factor in a session from Apple is made once that factor was proved`() async throws {
        _ = try site.connected(.regular)
        let secret = try await site.addTOTP()
        let browser = site.browser()
        try browser.openAccount(.regular)
        let removal = try browser.get("\(Browser.account)/factors/totp").form(to: "/removal")
        let (account, added) = (Browser.account, ["passkeys", "totp/new"])
        for page in added {
            #expect(try browser.get("\(account)/factors/\(page)")["Location"]?.contains("/proof?next=") == true)
        }

        let proof = try browser.follow(try browser.send(removal)).form(to: "/proof")
        #expect(try browser.send(proof, [("method", "totp"), ("code", site.code(of: secret))]).status == 303)
        let again = try browser.get("\(Browser.account)/factors/totp").form(to: "/removal")
        #expect(try browser.send(again).status == 303)
        #expect(try site.admin("SELECT FROM totp_secrets").isEmpty)
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
