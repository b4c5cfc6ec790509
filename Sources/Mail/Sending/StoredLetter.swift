import Bytes

/// A letter as JSON: every member optional but the name, so that versions of Pippin can read one another's.
struct StoredLetter: Codable {
    let name: String
    var link: String?
    /// In microseconds since 1970.
    var until: Int64?
    var at: Int64?
    var browser: String?
    var ip: String?
    var inviter: String?
    var team: String?
    var subject: String?
    var paragraphs: [String]?

    init(_ letter: Letter) {
        name = letter.name
        link = letter.link
        until = letter.until?.microseconds
        switch letter {
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

    /// The letter, or nil when a part of it is missing or its kind is not known here.
    ///
    /// - Parameter sender: the name of the team that writes; an older version kept the inviting team's name there alone.
    func letter(from sender: String) -> Letter? {
        let until = until.map(Timestamp.init(microseconds:))
        let at = at.map(Timestamp.init(microseconds:))
        switch (name, link, until) {
        case ("verification", let link?, let until?): return .verification(link: link, until: until)
        case ("password-reset", let link?, let until?): return .passwordReset(link: link, until: until)
        case ("sign-in-link", let link?, let until?): return .signInLink(link: link, until: until)
        case ("invitation", let link?, let until?):
            return inviter.map { .invitation(inviter: $0, team: team ?? sender, link: link, until: until) }
        case ("account-invitation", let link?, let until?):
            return .accountInvitation(link: link, until: until)
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
