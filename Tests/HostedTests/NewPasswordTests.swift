import Bytes
import Directory
import Domain
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Hosted
@testable import TestTeams

/// Wherever somebody chooses a password on a page of ours: to judge one costs as much as a hash, and changes nothing.
@Suite(.site) struct `A new password that is refused` {
    /// The pages, each with what is typed beside the new password; those of invitations are tried with the console.
    enum Place: CaseIterable, Sendable {
        case ownPage, passwordLink, registrationLink, registration

        var fields: [(String, String)] {
            switch self {
            case .ownPage: [("current", People.password)]
            case .passwordLink: []
            case .registrationLink: [("given_name", "Dora")]
            case .registration: [("email", "dora@acme.example"), ("given_name", "Dora")]
            }
        }

        /// Which the page shows again.
        var keeps: String? {
            switch self {
            case .ownPage, .passwordLink: nil
            case .registrationLink, .registration: "value=\"Dora\""
            }
        }

        func page(in browser: Browser) throws -> Answer {
            switch self {
            case .ownPage:
                _ = try browser.signIn(try browser.get(Browser.authorize()))
                return try browser.get(Browser.account + "/password")
            case .passwordLink:
                _ = try browser.askForHelp("ada@acme.example", link: false)
                return try browser.get(try site.link())
            case .registrationLink:
                let other = site.browser()
                let form = try Place.registration.page(in: other)
                _ = try other.send(form, Place.registration.fields + [("new", "a password of hers")])
                return try browser.get(try site.link())
            case .registration:
                let start = try browser.get(Browser.authorize())
                return try browser.get(try #require(start.link("/registration")))
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `V42, V43: is counted before it is judged, and one too many is answered by a page that says so`(place: Place)
        throws
    {
        let browser = site.browser()
        let page = try place.page(in: browser)
        func send(_ password: String) throws -> Answer { try browser.send(page, place.fields + [("new", password)]) }
        var calls = site.judges.callCount
        let weak = try send("password1")
        #expect(weak.status == 422 && weak.body.contains("field-new-error"))
        #expect(site.judges.callCount == calls + 1)

        // As if so many had come before, of the link or the person, and then of the network.
        for (subject, limit) in [
            ("new-password.account.%", NewPasswords.perChooser), ("new-password.address.%", NewPasswords.perNetwork),
        ] where subject.contains("address") || place != .registration {
            try site.teams.setCounted(subject, to: limit)
            calls = site.judges.callCount
            for password in ["password1", "a wholly other secret"] {
                let answer = try send(password)
                #expect(answer.status == 429 && answer.body.contains("Too many passwords were tried"))
                #expect((1...900).contains(answer["Retry-After"].flatMap { Int($0) } ?? 0))
                if let kept = place.keeps { #expect(answer.body.contains(kept)) }
                #expect(!answer.body.contains(password))
            }
            #expect(site.judges.callCount == calls)
            try site.teams.admin("DELETE FROM limits WHERE subject LIKE $1", subject)
        }

        let done = try send("a wholly other secret")
        #expect(done.status == 200 || done.status == 303)
    }

    @Test func `V42, V43: of a link ends after twenty, with the link still good`() throws {
        let browser = site.browser()
        let page = try Place.passwordLink.page(in: browser)
        let statuses = try (0..<22).map { _ in try browser.send(page, [("new", "password1")]).status }
        #expect(statuses == [Int](repeating: 422, count: 20) + [429, 429])
        site.teams.clock.advance(by: NewPasswords.window)
        #expect(try browser.send(page, [("new", "a wholly other secret")]).status == 200)
    }

    @Test func `V43: on one's own page comes after the present one, whose tries are counted`() throws {
        let browser = site.browser()
        let page = try Place.ownPage.page(in: browser)
        let calls = site.judges.callCount
        let wrong = [("current", "wrong"), ("new", String(repeating: "12", count: 16))]
        let statuses = try (0..<12).map { _ in try browser.send(page, wrong).status }
        #expect(statuses == [Int](repeating: 422, count: 10) + [429, 429])
        #expect(site.judges.callCount == calls)
    }

    @Test func `V43: is not the only one counted: the right present one is compared thirty times, no more`() throws {
        let browser = site.browser()
        let page = try Place.ownPage.page(in: browser)
        try site.teams.forgetCounts()
        let right = [("current", People.password), ("new", "short")]
        var hashes = 0
        for _ in 0..<40 {
            let calls = site.pool.callCount
            _ = try browser.send(page, right)
            hashes += site.pool.callCount - calls
        }
        #expect(hashes == 30)
    }

    /// By what waits, not by the clock: nothing is judged until the end.
    @Test func `V43: keeps nobody of the team from signing in, however many are being judged`() async throws {
        let page = try Place.passwordLink.page(in: site.browser())
        let isOpen = Mutex(false)
        let judges = site.judges
        let held = Task { try await judges.run(for: "ACMETEAM01") { try blockUntil { isOpen.withLock { $0 } } } }
        try await waitUntil { judges.callCount > 0 && judges.waitingCount == 0 }
        let waiting = (0..<64).map { _ in Task { try await judges.run(for: "ACMETEAM01") {} } }
        try await waitUntil { judges.waitingCount >= 64 }

        let browser = site.browser()
        #expect(try browser.signIn(try browser.get(Browser.authorize())).status == 200)
        #expect(page.status == 200)

        isOpen.withLock { $0 = true }
        try await held.value
        for task in waiting { try await task.value }
    }
}
