import Bytes

/// What a letter says, as phrases of the catalogue.
struct LetterText: Sendable {
    let subject: any Wording
    let paragraphs: [any Wording]
    /// What to do, when there is something to do.
    let action: (label: any Wording, link: String)?
    /// What else the reader should know.
    let notes: [any Wording]

    /// - Parameter team: the name of the team that writes.
    init(_ letter: Letter, from team: String) {
        let team = QuotedName(team).description
        switch letter {
        case .verification(let link, let until):
            subject = Phrase("mail.verification.subject", ["team": team])
            paragraphs = [Phrase("mail.verification.body", ["team": team])]
            action = (Phrase("mail.verification.action"), link)
            notes = [Phrase("mail.letter.until", ["until": until]), Phrase("mail.verification.ignore")]
        case .passwordReset(let link, let until):
            subject = Phrase("mail.password-reset.subject", ["team": team])
            paragraphs = [Phrase("mail.password-reset.body", ["team": team])]
            action = (Phrase("mail.password-reset.action"), link)
            notes = [Phrase("mail.letter.until", ["until": until]), Phrase("mail.password-reset.ignore")]
        case .signInLink(let link, let until):
            subject = Phrase("mail.sign-in-link.subject", ["team": team])
            paragraphs = [Phrase("mail.sign-in-link.body", ["team": team])]
            action = (Phrase("mail.sign-in-link.action"), link)
            notes = [
                Phrase("mail.letter.until", ["until": until]), Phrase("mail.sign-in-link.browser"),
                Phrase("mail.sign-in-link.ignore"),
            ]
        case .newSignIn(let moment, let browser, let ip, let link):
            subject = Phrase("mail.new-sign-in.subject", ["team": team])
            // What the release before this one kept may be whatever the browser called itself.
            let browser = QuotedName(browser, else: "").description
            paragraphs = [
                browser.isEmpty
                    ? Phrase("mail.new-sign-in.body-unknown", ["team": team])
                    : Phrase("mail.new-sign-in.body", ["team": team, "browser": browser]),
                Phrase("mail.new-sign-in.circumstances", ["time": moment, "ip": ip]),
            ]
            action = (Phrase("mail.new-sign-in.action"), link)
            notes = [Phrase("mail.new-sign-in.ignore")]
        case .invitation(let inviter, let invitingTeam, let link, let until):
            let inviter = QuotedName(inviter).description
            let invitingTeam = QuotedName(invitingTeam).description
            subject = Phrase("mail.invitation.subject", ["team": invitingTeam])
            paragraphs = [Phrase("mail.invitation.body", ["inviter": inviter, "team": invitingTeam])]
            action = (Phrase("mail.invitation.action"), link)
            notes = [Phrase("mail.letter.until", ["until": until]), Phrase("mail.invitation.ignore")]
        case .accountInvitation(let link, let until):
            subject = Phrase("mail.account-invitation.subject", ["team": team])
            paragraphs = [Phrase("mail.account-invitation.body", ["team": team])]
            action = (Phrase("mail.account-invitation.action"), link)
            notes = [
                Phrase("mail.letter.until", ["until": until]), Phrase("mail.account-invitation.ignore"),
            ]
        case .plain(let subject, let paragraphs):
            self.subject = subject
            self.paragraphs = paragraphs
            action = nil
            notes = []
        }
    }
}
