import Core
import Crypto
import Directory
import EventLoop
import Platform
import Testing

@testable import TestTeams

/// A team that requires a second factor, and the roles that do.
@Suite(.site) struct RequiredFactorTests {
    private func enrolTOTP(_ browser: Browser, _ choices: Answer) throws -> Answer {
        let page = try browser.get(try #require(choices.link("?with=totp")))
        #expect(page.body.contains("class=\"qr\"") && page.body.contains("d=\"M4 4h7v1h-7z"))
        let (form, _, values) = try page.totpOffer(to: "/enrolment")
        let wrong = try browser.send(form, values.dropLast() + [("code", "000000")])
        let typed = try #require(page.body.firstMatch(between: "<code>", and: "</code>"))
        #expect(wrong.status == 422 && wrong.body.contains(typed))
        return try browser.send(form, values)
    }

    @Test func `has people set one up, and shows the recovery codes once`() throws {
        try site.require(.required)
        let browser = site.browser()
        let choices = try browser.typePassword()
        #expect(choices.status == 200 && browser.cookies[Browser.sessionCookie] == nil)

        let codes = try enrolTOTP(browser, choices)

        #expect(codes.status == 200 && browser.cookies[Browser.sessionCookie] != nil)
        let kept = try codes.form(to: "/file")
        let shown = try #require(kept.value(of: "codes"))
        #expect(shown.split(separator: "\n").count == 10)
        let file = try browser.send(try codes.form(to: "/file"), [("codes", shown)])
        #expect(file["Content-Disposition"]?.contains("recovery-codes") == true)
        #expect(file.body == shown.replacing("\n", with: "\r\n") + "\r\n")
        #expect(try browser.get(Browser.account).body.contains("ada@acme.example"))

        let other = site.browser()
        let page = try other.typePassword()
        #expect(page.body.contains("one-time-code") && !page.body.contains("?with=passkey"))
        let form = try page.form(to: "/factor")
        let first = try #require(shown.split(separator: "\n").first)
        let code = String(first)
        #expect(try other.send(form, [("method", "recovery_code"), ("code", code)]).status == 303)
        #expect(other.cookies[Browser.sessionCookie] != nil)
    }

    @Test func `V26: sends the sessions of before back to the sign-in`() throws {
        let browser = try site.consented()
        #expect(try browser.get(Browser.account).status == 200)

        try site.require(.required)

        #expect(try browser.get(Browser.account).status == 303)
        let start = try browser.get(Browser.authorize(Browser.everything))
        let page = start.status == 303 ? try browser.follow(start) : start
        #expect(page.body.contains("current-password"))
    }

    @Test func `lets nobody set one up in the place of one that is there`() async throws {
        try site.require(.required)
        let thief = site.browser()
        let choices = try thief.typePassword()
        try await site.addTOTP()

        let refused = try enrolTOTP(thief, choices)

        #expect(refused.status == 410 && thief.cookies[Browser.sessionCookie] == nil)
    }

    @Test func `V26: the system team requires one of those who run teams, and of no others`() async throws {
        let teams = site.teams
        let people = try await teams.loop.run { () async throws -> [String: Subject] in
            var people: [String: Subject] = [:]
            for name in ["olga", "ben", "cleo"] {
                let new = NewUser(
                    name: try #require(PersonName(given: name, family: "")),
                    email: EmailAddress(rawValue: "\(name)@acme.example"),
                    password: try TestTeams.argon2id.hash(People.password))
                people[name] = try await teams.database.change(in: .system) { change in
                    try await UserStore(teams.database).create(new, change)
                }
            }
            return people
        }
        for (name, role, team) in [
            ("olga", "operator", "PIPPIN0000"), ("ben", "owner", "ACMETEAM01"), ("cleo", "developer", "ACMETEAM01"),
        ] {
            try teams.admin(
                "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)", team, people[name]?.rawValue, role)
        }

        for (name, isDemanded) in [("olga", true), ("ben", true), ("cleo", false)] {
            let browser = site.browser()
            let page = try browser.typePassword("\(name)@acme.example", at: "/t/PIPPIN0000/account/session")
            #expect(page.body.contains("?with=totp") == isDemanded, "\(name)")
            #expect((browser.cookies["__Host-pippin-PIPPIN0000"] == nil) == isDemanded, "\(name)")
        }
    }
}
