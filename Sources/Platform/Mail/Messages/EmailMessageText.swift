import Core

/// Subject and body of an email as messages that are not yet in a language.
struct EmailMessageText: Sendable {
    let subject: any LocalizedTextConvertible
    let paragraphs: [any LocalizedTextConvertible]
    /// Label and URL of the action, if the email has one.
    let action: (label: any LocalizedTextConvertible, link: String)?
    /// Paragraphs after the action, such as the expiry of the link.
    let notes: [any LocalizedTextConvertible]

    /// - Parameter team: the name of the sending team.
    init(_ message: EmailMessage, from team: String) {
        let team = QuotedName(team).description
        switch message {
        case .verification(let link, let until):
            subject = Message("mail.verification.subject", ["team": team])
            paragraphs = [Message("mail.verification.body", ["team": team])]
            action = (Message("mail.verification.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.verification.ignore")]
        case .passwordReset(let link, let until):
            subject = Message("mail.password-reset.subject", ["team": team])
            paragraphs = [Message("mail.password-reset.body", ["team": team])]
            action = (Message("mail.password-reset.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.password-reset.ignore")]
        case .signInLink(let link, let until):
            subject = Message("mail.sign-in-link.subject", ["team": team])
            paragraphs = [Message("mail.sign-in-link.body", ["team": team])]
            action = (Message("mail.sign-in-link.action"), link)
            notes = [
                Message("mail.message.until", ["until": until]), Message("mail.sign-in-link.browser"),
                Message("mail.sign-in-link.ignore"),
            ]
        case .newSignIn(let moment, let browser, let ip, let link):
            subject = Message("mail.new-sign-in.subject", ["team": team])
            paragraphs = [
                browser.isEmpty
                    ? Message("mail.new-sign-in.body-unknown", ["team": team])
                    : Message("mail.new-sign-in.body", ["team": team, "browser": browser]),
                Message("mail.new-sign-in.circumstances", ["time": moment, "ip": ip]),
            ]
            action = (Message("mail.new-sign-in.action"), link)
            notes = [Message("mail.new-sign-in.ignore")]
        case .invitation(let inviter, let invitingTeam, let link, let until):
            let (unnamed, inviter) = (inviter.isEmpty, QuotedName(inviter).description)
            let invitingTeam = QuotedName(invitingTeam).description
            subject = Message("mail.invitation.subject", ["team": invitingTeam])
            paragraphs = [
                unnamed
                    ? Message("mail.invitation.body-unnamed", ["team": invitingTeam])
                    : Message("mail.invitation.body", ["inviter": inviter, "team": invitingTeam])
            ]
            action = (Message("mail.invitation.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.invitation.ignore")]
        case .accountInvitation(let link, let until):
            subject = Message("mail.account-invitation.subject", ["team": team])
            paragraphs = [Message("mail.account-invitation.body", ["team": team])]
            action = (Message("mail.account-invitation.action"), link)
            notes = [Message("mail.message.until", ["until": until]), Message("mail.account-invitation.ignore")]
        case .plain(let subject, let paragraphs):
            self.subject = subject
            self.paragraphs = paragraphs
            action = nil
            notes = []
        }
    }
}
