import Crypto
import Directory
import Platform
import Testing

@testable import TestTeams

/// What is added to somebody, or ends for them, while another transaction holds the person.
@Suite(.site) struct HeldPersonTests {
    /// Ends a sign-in under way, as another password or a suspension does.
    enum End: String, CaseIterable, Sendable {
        case interaction = "DELETE FROM interactions WHERE sub = $1"
        case credentials = "UPDATE users SET credentials_version = credentials_version + 1 WHERE sub = $1"
    }

    @Test(arguments: End.allCases) func `S36, V54: add no factor at a sign-in that has ended by then`(end: End)
        async throws
    {
        try site.require(.required)
        let browser = site.browser()
        let choices = try browser.typePassword()
        let start = try #require(choices.link("?with=totp"))

        let (form, _, typed) = try browser.get(start).totpOffer(to: "/enrolment")
        let values = [("csrf", try #require(form.value(of: "csrf")))] + typed
        let exchange = try await site.teams.hold(
            site.ada, while: { try browser.set(out: form.action, posting: values) }, then: [(end.rawValue, [site.ada])])

        #expect(try exchange.answer().status == 410)
        #expect(try site.count("totp_secrets") == 0)
        #expect(browser.cookies[Browser.sessionCookie] == nil)
    }

    @Test func `S36, V54: a suspension ends the session that was being made`() async throws {
        try site.browser().openOwnPage()
        let (teams, ada) = (site.teams, site.teams.people.ada)
        let suspension = try await teams.hold(
            ada.rawValue,
            while: {
                Task(executorPreference: teams.loop) {
                    try await UserSuspensionStore(teams.database).suspend(
                        ada, because: "stolen telephone", in: .acme, by: .system("test"), from: TestTeams.origin)
                }
            },
            then: [
                (
                    """
                    INSERT INTO sessions
                    SELECT (jsonb_populate_record(
                        s, jsonb_build_object('token_hash', '\\x' || encode(sha256('another'), 'hex'))
                    )).*
                    FROM sessions s WHERE sub = $1
                    """, [ada.rawValue]
                )
            ])

        #expect(try await suspension.value)
        #expect(try teams.admin("SELECT FROM sessions").isEmpty)
        #expect(try teams.admin("SELECT FROM audit_events WHERE action = 'user.suspended'").count == 1)
    }
}
