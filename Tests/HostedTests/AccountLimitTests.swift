import Bytes
import Domain
import Testing

@testable import Hosted
@testable import OAuth
@testable import TestTeams

/// What a person may do with their account so often.
@Suite(.site) struct `What a person may do a few times` {
    @Test func `V42, V43: everything is handed out five times an hour, to who showed lately who they are`() throws {
        let browser = try site.consented()
        let page = try browser.get("\(Browser.account)/data")
        #expect(page.status == 200 && page.headline == "Download your data")
        let csrf = try #require(page.value(of: "csrf"))
        #expect(try browser.post("\(Browser.account)/data", [("csrf", "none")]).status == 403)

        let answers = try (0..<7).map { _ in try browser.send(page, []) }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 429, 429])
        #expect(answers[0].json["user"]?["email"] == "ada@acme.example")
        #expect(answers[5]["Retry-After"].flatMap { Int($0) }.map { (1...3600).contains($0) } == true)
        #expect(answers[5].body.contains("You can do this again at"))
        let exports = try site.teams.actions().count { $0 == "user.exported" }
        #expect(exports == 5)

        site.teams.clock.advance(by: .seconds(3601))
        for answer in [
            try browser.get("\(Browser.account)/data"), try browser.post("\(Browser.account)/data", [("csrf", csrf)]),
        ] {
            #expect(answer.status == 303)
            #expect(answer["Location"]?.hasPrefix("\(Browser.account)/proof?next=") == true)
        }
        let proof = try browser.follow(try browser.get("\(Browser.account)/data"))
        let back = try browser.send(
            try proof.form(to: "/proof"), [("email", "ada@acme.example"), ("password", People.password)])
        #expect(try browser.send(try browser.follow(back), []).status == 200)
    }

    @Test func `V47, V53: mail of an app is switched ten times an hour, and only the last word waits`() throws {
        let browser = site.browser()
        let sheet = try browser.signIn(try browser.get(Browser.authorize(Browser.everything)))
        _ = try browser.send(sheet, [("email_choice", "hide"), ("decision", "continue")])
        try site.listen()
        let csrf = try #require(try browser.get(Browser.account).value(of: "csrf"))
        func turn(_ choice: String) throws -> Answer {
            try browser.post("\(Browser.account)/apps/com.acme.app/relay", [("csrf", csrf), ("relay", choice)])
        }
        let jobs = "SELECT state, count(*)::text FROM jobs WHERE kind = 'notice.delivery' GROUP BY state ORDER BY state"

        // One that a worker has is left alone.
        #expect(try turn("off").status == 303)
        try site.teams.admin("UPDATE jobs SET worker = 'somebody' WHERE kind = 'notice.delivery'")
        #expect(try turn("on").status == 303)
        #expect(try site.teams.notificationTypes() == ["email-disabled", "email-enabled"])
        // What is so already counts for nothing.
        #expect(try turn("on").status == 303)

        let answers = try (2..<12).map { try turn($0.isMultiple(of: 2) ? "off" : "on") }
        #expect(answers.map(\.status) == [Int](repeating: 303, count: 8) + [429, 303])
        #expect(answers[8]["Retry-After"] != nil && answers[8].body.contains("You can do this again at"))
        #expect(try site.teams.notificationTypes() == ["email-disabled", "email-enabled"])
        #expect(try site.teams.admin(jobs) == [["cancelled", "8"], ["pending", "2"]])
        #expect(try site.teams.actions().count { $0.hasPrefix("relay.") } == RelaySwitchStore.limit)

        site.teams.clock.advance(by: .seconds(3601))
        #expect(try turn("off").status == 303)
    }
}
