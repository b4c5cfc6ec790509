import HTTP
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What Ada changes of her own in a session of hers, on her page and on the sheets of a sign-in.
enum OwnChange: String, CaseIterable, Sendable {
    case password, email, emailLink, deletion, stop, relay, oneSession, otherSessions, newTOTP, totpRemoval, newPasskey
    case passkey, passkeyRemoval, recoveryCodes, appleRemoval, consent, confirmation

    var pattern: String {
        switch self {
        case .password: TeamRoutes.ownPassword.text
        case .email: TeamRoutes.ownEmail.text
        case .emailLink: TeamRoutes.emailLink.text
        case .deletion: TeamRoutes.deletion.text
        case .stop: TeamRoutes.appEnd.text
        case .relay: TeamRoutes.appRelay.text
        case .oneSession: TeamRoutes.oneSession.text
        case .otherSessions: TeamRoutes.otherSessions.text
        case .newTOTP: TeamRoutes.newTOTP.text
        case .totpRemoval: TeamRoutes.totpRemoval.text
        case .newPasskey: TeamRoutes.newPasskey.text
        case .passkey: TeamRoutes.passkey.text
        case .passkeyRemoval: TeamRoutes.passkeyRemoval.text
        case .recoveryCodes: TeamRoutes.recoveryCodes.text
        case .appleRemoval: TeamRoutes.appleRemoval.text
        case .consent: TeamRoutes.consent.text
        case .confirmation: TeamRoutes.confirmation.text
        }
    }

    /// Whether it wants a proof of the last ten minutes.
    var isFresh: Bool {
        switch self {
        case .newTOTP, .totpRemoval, .newPasskey, .passkey, .passkeyRemoval, .recoveryCodes, .appleRemoval: true
        default: false
        }
    }

    /// Whether it changes a factor that the person has.
    var isOverFactors: Bool { [.totpRemoval, .passkey, .passkeyRemoval, .recoveryCodes].contains(self) }

    /// Everything that has to be there, and the form filled in.
    func prepare(_ browser: Browser) throws -> (path: String, values: [(String, String)]) {
        let home = Browser.account
        try browser.openOwnPage()
        switch self {
        case .password:
            return try fill(
                try browser.get("\(home)/password").form(to: "/password"),
                [("current", People.password), ("new", "a wholly other secret")])
        case .email: return try otherAddress(browser)
        case .emailLink:
            try send(try otherAddress(browser), browser)
            return try fill(try #require(try browser.get(try site.link()).forms.first))
        case .deletion:
            return try fill(
                try browser.get("\(home)/deletion").form(to: "/deletion"),
                [("confirmation", "ada@acme.example"), ("password", People.password)])
        case .stop, .relay:
            try hideAddress(browser)
            let end = self == .stop ? "end" : "relay"
            let csrf = try #require(try browser.get(home).value(of: "csrf"))
            return ("\(home)/apps/com.acme.app/\(end)", [("csrf", csrf), ("relay", "off")])
        case .oneSession, .otherSessions:
            try site.browser().openOwnPage()
            let page = try browser.get(home).body
            let one = try #require(page.firstMatch(of: /action="([^"]+\/sessions\/[^"\/]+\/end)"/)).1
            let csrf = try #require(try browser.get(home).value(of: "csrf"))
            return (self == .oneSession ? String(one) : "\(home)/sessions/end", [("csrf", csrf)])
        case .newTOTP: return try totp(browser)
        case .totpRemoval:
            try send(try totp(browser), browser)
            return try fill(try browser.get("\(home)/factors/totp").form(to: "/removal"))
        case .newPasskey: return try newPasskey(browser)
        case .passkey, .passkeyRemoval:
            try send(try newPasskey(browser), browser)
            let page = try browser.get(try browser.passkeyPage())
            if self == .passkey { return try fill(try #require(page.forms.first), [("name", "Key ring")]) }
            return try fill(try page.form(to: "/removal"))
        case .recoveryCodes:
            try send(try totp(browser), browser)
            return try fill(try browser.get(home).form(to: "/recovery-codes"))
        case .appleRemoval:
            try browser.connect(.regular)
            return try fill(try browser.get("\(home)/apple").form(to: "/account/apple/removal"))
        case .consent: return try sheet(browser, "/consent", [("email_choice", "hide"), ("decision", "continue")])
        case .confirmation:
            try hideAddress(browser)
            return try sheet(browser, "/confirmation", [("decision", "continue")])
        }
    }

    private func fill(_ form: PageForm, _ values: [(String, String)] = []) throws -> (
        path: String, values: [(String, String)]
    ) { (form.action, [("csrf", try #require(form.value(of: "csrf")))] + values) }

    private func otherAddress(_ browser: Browser) throws -> (path: String, values: [(String, String)]) {
        try fill(
            try browser.get("\(Browser.account)/email").form(to: "/email"),
            [("email", "dora@new.example"), ("current", People.password)])
    }

    private func send(_ form: (path: String, values: [(String, String)]), _ browser: Browser) throws {
        #expect(try browser.post(form.path, form.values).status < 400)
    }

    private func totp(_ browser: Browser) throws -> (path: String, values: [(String, String)]) {
        let (form, _, values) = try browser.get("\(Browser.account)/factors/totp/new").totpOffer(to: "/totp/new")
        return try fill(form, values)
    }

    private func newPasskey(_ browser: Browser) throws -> (path: String, values: [(String, String)]) {
        var key = try site.authenticator()
        let form = try browser.passkeyForm()
        return try fill(form, try key.register(form))
    }

    /// A sheet of a sign-in to Acme's app, in a browser that is signed in.
    private func sheet(_ browser: Browser, _ end: String, _ values: [(String, String)]) throws -> (
        path: String, values: [(String, String)]
    ) {
        let page = try browser.follow(try browser.get(Browser.authorize(Browser.everything)))
        return try fill(try page.form(to: end), values)
    }

    /// Lets Acme's app know Ada by a relay address.
    private func hideAddress(_ browser: Browser) throws {
        let choice = [("email_choice", "hide"), ("decision", "continue")]
        try send(try sheet(browser, "/consent", choice), browser)
    }
}
