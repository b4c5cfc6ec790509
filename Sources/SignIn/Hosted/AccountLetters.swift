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
            if let kind = mail.limitedHere {
                let now = context.clock()
                guard
                    try await SendingLimits.admits(
                        kind,
                        to: recipient.rawValue,
                        in: team,
                        at: now,
                        transaction
                    )
                else { return }
            }
            let name = QuotedName(try await teams.snapshot(of: team)?.name ?? "").description
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
        switch mail {
        case .confirmation(let token, .email, let until):
            .verification(link: url(TeamRoutes.emailLink.link(team, token)), until: until)
        case .confirmation(let token, _, let until):
            .verification(link: url(TeamRoutes.registrationLink.link(team, token)), until: until)
        case .passwordReset(let token, let until), .decoy(.newPassword, let token, let until):
            .passwordReset(link: url(TeamRoutes.passwordLink.link(team, token)), until: until)
        case .signInLink(let token, let until), .decoy(.signInLink, let token, let until):
            .signInLink(link: url(TeamRoutes.signInLink.link(team, token)), until: until)
        case .invitation(let token, let until):
            .accountInvitation(link: url(TeamRoutes.invitationLink.link(team, token)), until: until)
        case .known: tidings(.known(in: name), language)
        case .passwordChanged: tidings(.passwordChanged(in: name), language)
        case .ownPasswordChanged: tidings(.ownPasswordChanged(in: name), language)
        case .emailChanged: tidings(.emailChanged(in: name), language)
        case .factors(let change): tidings(.factors(change, in: name), language)
        }
    }

    /// A letter without a link.
    private func tidings(_ tidings: Tidings, _ language: Language) -> Letter {
        .plain(
            subject: site.text(tidings.subject, in: language),
            paragraphs: tidings.paragraphs.map { site.text($0, in: language) }
        )
    }

    /// The address as configured, never as a request claims it.
    private func url(_ path: String) -> String { context.publicURL + path }
}

extension AccountMail {
    /// What it counts as, where nobody has asked for a mail: those that were asked for are counted before.
    fileprivate var limitedHere: Sending? {
        switch self {
        case .passwordChanged, .ownPasswordChanged, .emailChanged, .factors: .accountChange
        case .confirmation, .known, .passwordReset, .signInLink, .decoy, .invitation: nil
        }
    }
}

/// What a person is told that asks nothing of them.
private struct Tidings {
    let subject: Phrase
    let paragraphs: [Phrase]

    private init(_ subject: Phrase, _ paragraphs: Phrase...) {
        self.subject = subject
        self.paragraphs = paragraphs
    }

    private static func notYou(_ team: String) -> Phrase { Phrase("mail.account.not-you", ["team": team]) }

    static func known(in team: String) -> Tidings {
        Tidings(
            Phrase("mail.account.known-subject", ["team": team]),
            Phrase("mail.account.known-body", ["team": team]),
            Phrase("mail.account.known-advice")
        )
    }

    static func passwordChanged(in team: String) -> Tidings {
        Tidings(
            Phrase("mail.account.password-subject", ["team": team]),
            Phrase("mail.account.password-body", ["team": team]),
            notYou(team)
        )
    }

    static func ownPasswordChanged(in team: String) -> Tidings {
        Tidings(
            Phrase("mail.account.password-subject", ["team": team]),
            Phrase("mail.account.own-password-body", ["team": team]),
            notYou(team)
        )
    }

    static func emailChanged(in team: String) -> Tidings {
        Tidings(
            Phrase("mail.account.email-subject", ["team": team]),
            Phrase("mail.account.email-body", ["team": team]),
            notYou(team)
        )
    }

    static func factors(_ change: FactorChange, in team: String) -> Tidings {
        Tidings(Phrase("mail.factors.subject", ["team": team]), change.words(of: team), notYou(team))
    }
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
        case .providerLinked(.apple): Phrase("mail.factors.apple-connected", ["team": team])
        case .providerUnlinked(.apple): Phrase("mail.factors.apple-disconnected", ["team": team])
        }
    }
}
