public import AuthEngine
import Bytes
import Crypto
public import Directory
import Domain
import HTTP
public import Mail
public import Web

/// Puts mail about accounts into words and into the outbox.
public struct AccountLetters: Sendable {
    private let site: Site
    private let context: EngineContext
    private let teams: TeamCache
    private let mail: MailQueue

    public init(site: Site, context: EngineContext, teams: TeamCache, mail: MailQueue) {
        self.site = site
        self.context = context
        self.teams = teams
        self.mail = mail
    }

    /// Writes in the name of the team, in the language of its reader.
    public var post: AccountPost {
        AccountPost { mail, recipient, language, team, transaction in
            let name = try await teams.snapshot(of: team)?.name ?? ""
            let outgoing = OutgoingMail(
                letter(mail, name, team, language),
                to: recipient,
                in: language,
                from: name
            )
            if case .decoy = mail {
                try await self.mail.pretend(outgoing, in: team, transaction)
            } else {
                try await self.mail.enqueue(outgoing, in: team, transaction)
            }
        }
    }

    private func letter(
        _ mail: AccountMail,
        _ name: String,
        _ team: TeamID,
        _ language: Language
    ) -> Letter {
        func say(_ phrase: Phrase) -> String { site.text(phrase, in: language) }
        switch mail {
        case .confirmation(let token, .email, let until):
            return .verification(link: url(TeamRoutes.emailLink.link(team, token)), until: until)
        case .confirmation(let token, _, let until):
            return .verification(link: url(TeamRoutes.registrationLink.link(team, token)), until: until)
        case .passwordReset(let token, let until), .decoy(let token, let until):
            return .passwordReset(link: url(TeamRoutes.passwordLink.link(team, token)), until: until)
        case .invitation(let token, let until):
            return .accountInvitation(link: url(TeamRoutes.invitationLink.link(team, token)), until: until)
        case .known:
            return .plain(
                subject: say(Phrase("mail.account.known-subject", ["team": name])),
                paragraphs: [
                    say(Phrase("mail.account.known-body", ["team": name])),
                    say(Phrase("mail.account.known-advice")),
                ]
            )
        case .passwordChanged:
            return .plain(
                subject: say(Phrase("mail.account.password-subject", ["team": name])),
                paragraphs: [
                    say(Phrase("mail.account.password-body", ["team": name])),
                    say(Phrase("mail.account.not-you", ["team": name])),
                ]
            )
        case .emailChanged:
            return .plain(
                subject: say(Phrase("mail.account.email-subject", ["team": name])),
                paragraphs: [
                    say(Phrase("mail.account.email-body", ["team": name])),
                    say(Phrase("mail.account.not-you", ["team": name])),
                ]
            )
        case .factors(let change):
            return .plain(
                subject: say(Phrase("mail.factors.subject", ["team": name])),
                paragraphs: [
                    say(change.words(of: name)), say(Phrase("mail.account.not-you", ["team": name])),
                ]
            )
        }
    }

    /// The address as configured, never as a request claims it.
    private func url(_ path: String) -> String { context.publicURL + path }
}

extension FactorChange {
    /// What happened, in one sentence or two.
    fileprivate func words(of team: String) -> Phrase {
        switch self {
        case .totpAdded: Phrase("mail.factors.totp-added", ["team": team])
        case .totpReplaced: Phrase("mail.factors.totp-replaced", ["team": team])
        case .totpRemoved: Phrase("mail.factors.totp-removed", ["team": team])
        case .passkeyAdded(let name): Phrase("mail.factors.passkey-added", ["name": name, "team": team])
        case .passkeyRemoved(let name): Phrase("mail.factors.passkey-removed", ["name": name, "team": team])
        case .recoveryCodesRenewed: Phrase("mail.factors.codes-renewed", ["team": team])
        case .reset: Phrase("mail.factors.reset", ["team": team])
        }
    }
}
