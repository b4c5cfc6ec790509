import Platform
import Testing

@testable import TestTeams

/// A browser in which an account has signed in, once the account is proved otherwise.
@Suite(.site) struct `A browser that an account knows` {
    private static let secret = "a wholly other secret"

    /// An address that nobody had confirmed before is, by the link, and what was prepared in the account ends.
    @Test(arguments: [true, false]) func `V45: by the old password guesses at the new one as a stranger does`(
        isVerified: Bool
    ) throws {
        try site.admin("UPDATE users SET is_email_verified = $1::boolean", "\(isVerified)")
        let thief = try site.signedIn()
        let owner = site.browser()
        _ = try owner.askForHelp("ada@acme.example", link: false)
        let done = try owner.send(try owner.get(try site.link()), [("new", Self.secret)])
        #expect(done.headline == "Your password is changed")
        try site.lockPassword(Self.secret)

        let page = try thief.get(Browser.authorize())
        #expect(try thief.signIn(page, password: Self.secret).status == 429)

        // Whoever has chosen the password is not locked out by that.
        let start = try owner.get(Browser.authorize())
        #expect(try owner.signIn(start, password: Self.secret).status == 200)
    }

    @Test func `V45: is known on where the password was changed in it, and nowhere else`() throws {
        let other = try site.signedIn()
        let own = try site.signedIn()
        let form = try own.get(Browser.account + "/password").form(to: "/password")
        let change = [("current", People.password), ("new", Self.secret)]
        #expect(try own.send(form, change).status == 303)
        own.forget(Browser.sessionCookie)
        try site.lockPassword(Self.secret)

        let page = try other.get(Browser.authorize())
        #expect(try other.signIn(page, password: Self.secret).status == 429)
        let start = try own.get(Browser.authorize())
        #expect(try own.signIn(start, password: Self.secret).status == 200)
    }
}
