import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

// A browser that connects an account at Apple to the one it is signed in to.
extension Browser {
    static let account = "/t/ACMETEAM01/account"

    /// Signs in with the password to the person's own page.
    @discardableResult func openOwnPage(as email: String = "ada@acme.example") throws -> Answer {
        _ = try signIn(try get("\(Self.account)/session"), email: email)
        let page = try get(Self.account)
        #expect(page.status == 200)
        return page
    }

    /// From the person's page to Apple's list of people.
    func setOutToConnect() throws -> Answer {
        let away = try send(try get(Self.account).form(to: "/account/apple"))
        let target = try #require(away.body.firstMatch(between: "content=\"0;url=", and: "\""))
        let apple = "http://127.0.0.1:\(port)"
        #expect(away.status == 200 && target.hasPrefix("\(apple)/apple/auth/authorize?"))
        return try get(String(target.dropFirst(apple.utf8.count)))
    }

    /// As far as the address where the browser comes back.
    func connectUntilBack(_ performer: Performer) throws -> String {
        try postBack(try choose(performer, on: try setOutToConnect()))
    }

    /// The whole way, to the page that says how it ended.
    @discardableResult func connect(_ performer: Performer) throws -> Answer {
        try follow(try get(try connectUntilBack(performer)))
    }

    /// Parts from Apple again, from the page that asks once more.
    func disconnect() throws -> Answer { try send(try get("\(Self.account)/apple").form(to: "/account/apple/removal")) }
}

extension TestSite {
    /// Who is known at Apple, by Apple's name and ours.
    func identities() throws -> [[String?]] {
        try teams.admin("SELECT identifier, sub FROM upstream_identities ORDER BY identifier")
    }

    /// Ada's browser, whose account is connected to one at Apple.
    func connected(_ performer: Performer) throws -> Browser {
        let browser = try signedIn()
        try browser.connect(performer)
        return browser
    }

    /// A browser, and the address where it comes back from Apple.
    func back() throws -> (browser: Browser, back: String) {
        let browser = browser()
        return (browser, try browser.signInUntilBack())
    }

    /// A browser, and what follows Ada's password in a sign-in to the app.
    func sheet(_ changes: [String: String?] = [:]) throws -> (browser: Browser, sheet: Answer) {
        let browser = browser()
        return (browser, try browser.signIn(try browser.get(Browser.authorize(changes))))
    }

    var ada: String { teams.people.ada.rawValue }

    /// Ada's name and address as they are here.
    func profile() throws -> [[String?]] {
        try teams.admin(
            "SELECT email, is_email_verified::text, is_private_email::text, given_name FROM users WHERE sub = $1", ada)
    }

    /// The app's refresh token at the end of a sign-in.
    func token(of exit: Answer) throws -> String { try #require(try redeem(exit).json["refresh_token"]?.string) }

    /// What the app is told of Ada.
    func stateOfAda() throws -> String? {
        try client("credential-state", ["sub": ada]).json["credential_state"]?.string
    }

    /// Gives Acme's app an address for notices, and has it told what happens.
    func listen() throws { try teams.setNotificationURL("https://acme.example/n", of: .app) }

    func told() throws -> [[String?]] { try teams.admin("SELECT type, sub FROM notifications ORDER BY event_time") }
}
