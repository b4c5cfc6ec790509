import Core
import Simulator
import Testing

@testable import Platform
@testable import SignIn
@testable import TestTeams

/// What passes from one request to the next by way of somewhere else, each begun in one browser, finished in another,
/// and fetched in the first.
///
/// The invitation of a member and *Try it* are the console's: `RegistryTestSignInTests`, `InvitationTests`.
enum Handover: String, CaseIterable, Sendable {
    case apple, linking, confirmation, reset, emailChange, signInLink, invitation, popup, passwordStep

    /// Ada begins in `first`; a stranger finishes in `second`, and Ada's browser fetches what came of it.
    func forEachTeam(_ first: Browser, _ second: Browser) throws {
        switch self {
        case .apple:
            let exit = try second.choose(.regular, on: try first.goToApple())
            try pass(try second.postBack(exit), second, first)
        case .linking:
            try first.openOwnPage()
            let exit = try second.choose(.regular, on: try first.setOutToConnect())
            try pass(try second.postBack(exit), second, first)
        case .confirmation:
            _ = try first.register("dora@acme.example", password: "a password of hers")
            let link = try site.link()
            try click(link, [], second)
            // The first browser's form does not help the second: it is bound to who got it.
            let csrf = try #require(try first.get(link).value(of: "csrf"))
            #expect(try second.post(link, [("csrf", csrf)]).status == 403)
        case .reset:
            _ = try first.askForHelp("ada@acme.example", link: false)
            let link = try site.link()
            try click(link, [("new", "a wholly other secret")], second)
            #expect(try first.get(link).status == 410)
        case .emailChange:
            try first.openOwnPage()
            let form = try first.get(Browser.account + "/email")
            _ = try first.send(form, [("email", "dora@new.example"), ("current", People.password)])
            try click(try site.link(), [], second)
        case .signInLink:
            _ = try first.askForHelp("ada@acme.example", link: true)
            try click(try site.link(), [], second)
        case .invitation:
            try site.invite("dora@acme.example")
            let link = "/t/ACMETEAM01/links/invitation/\(TestSite.invitation)"
            let csrf = try #require(try first.get(link).value(of: "csrf"))
            #expect(try second.post(link, [("csrf", csrf), ("new", "of the second one")]).status == 403)
        case .popup, .passwordStep:
            let mode = self == .popup ? "web_message" : "form_post"
            let page = try first.get(Browser.authorize(["response_mode": mode, "state": "s"]))
            let csrf = try #require(try second.get(Browser.authorize()).value(of: "csrf"))
            let fields = [("email", "ben@acme.example"), ("password", People.password)]
            let answer = try second.post(try #require(page.action), [("csrf", csrf)] + fields)
            #expect(answer.status == 410 && !answer.body.contains("postMessage"))
            let step = try #require(page.action).replacing("/password", with: "")
            #expect(try first.get(step).action == page.action)
        }
    }

    /// Goes on with the answer of a provider in the browser that brought it, then in the one that began.
    private func pass(_ back: String, _ second: Browser, _ first: Browser) throws {
        let state = try #require(back.split(separator: "&receipt=").first)
        for (browser, path) in [(first, String(state)), (second, back), (first, back)] {
            #expect(try browser.get(path).status == 410)
        }
    }

    /// Follows a mailed link and sends what its page asks for, or an empty form where it asks for nothing.
    private func click(_ link: String, _ fields: [(String, String)], _ browser: Browser) throws {
        let page = try browser.get(link)
        let csrf = try page.value(of: "csrf") ?? browser.get(Browser.authorize()).value(of: "csrf")
        _ = try browser.post(link, [("csrf", try #require(csrf))] + fields)
    }
}

@Suite(.apple) struct TwoBrowserTests {
    @Test(arguments: Handover.allCases) func `V40: what one browser began and another finished belongs to neither`(
        handover: Handover
    ) throws {
        let (first, second) = (site.browser(), site.browser())
        let before = try site.profile()

        try handover.forEachTeam(first, second)

        // Nobody is signed in as anybody else: the first browser as Ada at most, where it began as her.
        #expect(second.cookies[Browser.sessionCookie] == nil)
        let begins = [Handover.linking, .emailChange].contains(handover)
        #expect((first.cookies[Browser.sessionCookie] != nil) == begins)
        let sessions = try site.admin("SELECT sub FROM sessions WHERE team_id = 'ACMETEAM01'")
        #expect(sessions == (begins ? [[site.ada]] : []))
        #expect(try site.codes().isEmpty)
        #expect(
            try site.admin("SELECT FROM interactions WHERE first_factor IS NOT NULL AND entered_at IS NULL").isEmpty)
        // Nothing is linked, and nothing verified.
        #expect(try site.identities().isEmpty)
        #expect(try site.profile() == before)
        let verified = "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND email LIKE 'dora@%'"
        #expect(try site.admin(verified).isEmpty)
    }
}

extension TestSite {
    fileprivate static let invitation = Base64URL.encode([UInt8](repeating: 9, count: 32))

    /// Has an owner of the team invite somebody by a link that is known here.
    fileprivate func invite(_ email: String) throws {
        let owner = Subject(hexadecimal: String(repeating: "0a", count: 16)).rawValue
        try teams.admin("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', $1)", owner)
        try teams.admin("INSERT INTO memberships (team_id, sub, role) VALUES ('ACMETEAM01', $1, 'owner')", owner)
        try teams.admin(
            """
            INSERT INTO mailed_links (team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at)
            VALUES ('ACMETEAM01', sha256(decode(repeat('09', 32), 'hex')), 'invitation', $1, 'ABCDEFGH23', $3,
                $2::timestamptz + interval '1 day')
            """, email, teams.clock.now.description, owner)
    }
}
