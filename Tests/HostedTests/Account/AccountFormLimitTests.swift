import Bytes
import Directory
import Domain
import EventLoop
import HTTP
import Testing

@testable import Hosted
@testable import TestTeams

/// What a person changes is kept before and after, and the room for it is everybody's.
@Suite struct `Forms of an account that change something` {
    /// Counts as many forms of that subject as there may be but for `left`.
    private func use(_ subject: LimitSubject, limit: Int, window: Duration, leaving left: Int) async throws {
        let (store, now) = (LimitStore(site.teams.database), site.teams.clock.now)
        _ = try await site.teams.loop.run {
            try await store.add(limit - left, to: subject, window: window, in: .acme, at: now)
        }
    }

    /// Signs Ada in, and returns the form by which she renames her passkey.
    private func rename(_ browser: Browser) throws -> PageForm {
        try browser.openOwnPage()
        var key = try site.authenticator()
        try browser.add(&key)
        return try #require(try browser.get(try browser.passkeyPage()).forms.first)
    }

    @Test(.site) func `S18: count by person and day, and a session can be ended all the same`() async throws {
        try site.browser().openOwnPage()
        let browser = site.browser()
        let form = try rename(browser)
        try await use(
            .account(AccountFormLimit.kind, site.teams.people.ada.rawValue), limit: AccountFormLimit.perPerson,
            window: AccountFormLimit.personWindow,
            // The form that added the key has opened a count of one.
            leaving: 3)
        let names = ["One", "Two", "Three", "Four"]
        let answers = try names.map { try browser.send(form, [("name", $0)]) }
        #expect(answers.map(\.status) == [303, 303, 429, 429])
        #expect(answers[2]["Retry-After"].flatMap { Int($0) }.map { (1...86_400).contains($0) } == true)
        #expect(answers[2].body.contains("You can do this again at"))
        #expect(try site.teams.actions().count { $0 == "factor.renamed" } == 2)

        let csrf = try #require(form.value(of: "csrf"))
        let ended = try browser.post(Browser.account + "/sessions/end", [("csrf", csrf)])
        #expect(ended.status == 303)
        #expect(try site.teams.actions().contains("sessions.ended"))
        let ben = site.browser()
        let bens = try ben.openOwnPage(as: "ben@acme.example")
        let token = try #require(bens.value(of: "csrf"))
        let bensMail = try ben.post(Browser.account + "/email", [("csrf", token)])
        #expect(bensMail.status == 422)
    }

    @Test(.site) func `V40: count nothing where another site sends them`() throws {
        let browser = site.browser()
        let form = try rename(browser)
        let counts = "SELECT subject, count FROM limits WHERE subject LIKE 'account-%' ORDER BY subject"
        let before = try site.teams.admin(counts)
        for _ in 0..<5 {
            let answer = try browser.post(
                Browser.account + "/password", [("password", "another")],
                ["Origin: https://app.pippin.example", "Sec-Fetch-Site: same-site"])
            #expect(answer.status == 403)
        }
        #expect(try site.teams.admin(counts) == before)
        #expect(try browser.send(form, [("name", "One")]).status == 303)
    }

    @Test func `S18, V43: of one account leave the others behind its address theirs`() async throws {
        try await withTeams { teams in
            let limit = AccountFormLimit(LimitStore(teams.database))
            let (people, now) = (teams.people, teams.clock.now)
            let address = try #require(IPAddress("203.0.113.7"))
            var admitted = 0
            for _ in 0..<600 {
                let wait = try await limit.charge(people.ada, at: address, in: .acme, at: now)
                if wait == nil { admitted += 1 }
            }
            #expect(admitted == AccountFormLimit.perPersonHourly)
            // What the hour refuses counts neither for the day nor for the address.
            #expect(try teams.counted("account-changes.%") == [150, 150])
            #expect(try await limit.charge(people.ben, at: address, in: .acme, at: now) == nil)

            let later = now + AccountFormLimit.addressWindow
            #expect(try await limit.charge(people.ada, at: address, in: .acme, at: later) == nil)
        }
    }

    @Test(.site) func `S18: count by address and hour, of however many accounts`() async throws {
        let browser = site.browser()
        let form = try rename(browser)
        try await use(
            .address(AccountFormLimit.kind, "127.0.0.1"), limit: AccountFormLimit.perAddress,
            window: AccountFormLimit.addressWindow, leaving: 2)
        #expect(try browser.send(form, [("name", "One")]).status == 303)
        let refused = try browser.send(form, [("name", "Two")])
        #expect(refused.status == 429)
        #expect(refused["Retry-After"].flatMap { Int($0) }.map { (1...3600).contains($0) } == true)
        #expect(try site.teams.actions().count { $0 == "factor.renamed" } == 1)
        #expect(try site.teams.counted("account-changes.account.%") == [3])
    }
}
