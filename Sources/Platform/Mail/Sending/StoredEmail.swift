import Core

/// JSON form of an `EmailMessage`: only the name is required, so that versions of Pippin can read each other's.
struct StoredEmail: Codable {
    let name: String
    var link: String?
    /// Microseconds since 1970, as is `at`.
    var until: Int64?
    var at: Int64?
    var browser: String?
    var ip: String?
    var inviter: String?
    var team: String?
    var subject: String?
    var paragraphs: [String]?

    init(_ message: EmailMessage) {
        name = message.name
        link = message.link
        until = message.until?.microseconds
        switch message {
        case .newSignIn(let moment, let browser, let ip, _):
            at = moment.microseconds
            self.browser = browser
            self.ip = ip
        case .invitation(let inviter, let team, _, _):
            self.inviter = inviter
            self.team = team
        case .plain(let subject, let paragraphs):
            self.subject = subject
            self.paragraphs = paragraphs
        case .verification, .passwordReset, .accountInvitation, .signInLink: break
        }
    }

    /// The email, or nil if a member is missing or this version does not support its kind.
    var emailMessage: EmailMessage? {
        let until = until.map(Timestamp.init(microseconds:))
        let at = at.map(Timestamp.init(microseconds:))
        switch (name, link, until) {
        case ("verification", let link?, let until?): return .verification(link: link, until: until)
        case ("password-reset", let link?, let until?): return .passwordReset(link: link, until: until)
        case ("sign-in-link", let link?, let until?): return .signInLink(link: link, until: until)
        case ("invitation", let link?, let until?):
            guard let inviter, let team else { return nil }
            return .invitation(inviter: inviter, team: team, link: link, until: until)
        case ("account-invitation", let link?, let until?): return .accountInvitation(link: link, until: until)
        case ("new-sign-in", let link?, _):
            guard let at, let browser, let ip else { return nil }
            return .newSignIn(at: at, browser: browser, ip: ip, link: link)
        case ("plain", _, _):
            guard let subject, let paragraphs else { return nil }
            return .plain(subject: subject, paragraphs: paragraphs)
        default: return nil
        }
    }
}
