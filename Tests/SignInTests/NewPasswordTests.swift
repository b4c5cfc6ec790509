import Core
import EventLoop
import Glibc
import Testing

@testable import SignIn
@testable import TestTeams

/// Wherever somebody chooses a password on a page of ours: to judge one costs as much as a hash, and changes nothing.
@Suite struct `A new password that is refused` {
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

    @Test(.site(limits: ["unauthenticated-writes": 3]), arguments: Place.allCases)
    func `V42, V43: is counted before it is judged, by the network it comes from`(place: Place) throws {
        let browser = site.browser()
        let page = try place.page(in: browser)
        site.clock.advance(by: .seconds(60))
        func send(_ password: String) throws -> Answer { try browser.send(page, place.fields + [("new", password)]) }
        let calls = site.judges.callCount
        for _ in 0..<3 {
            let weak = try send("password1")
            #expect(weak.status == 422 && weak.body.contains("field-new-error"))
        }
        #expect(site.judges.callCount == calls + 3)
        let refused = try send("a wholly other secret")
        #expect(refused.status == 429 && refused["Retry-After"] == "60")
        #expect(!refused.body.contains("a wholly other secret") && site.judges.callCount == calls + 3)

        site.clock.advance(by: .seconds(60))
        let done = try send("a wholly other secret")
        #expect(done.status == 200 || done.status == 303)
    }
}
