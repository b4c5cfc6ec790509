import Core
import Crypto
public import Directory
import HTTP
public import OAuth
public import Platform

/// Writes mail about accounts and adds it to the mail queue.
public struct AccountMessages: Sendable {
    private let site: Site
    private let server: ServerContext
    private let teams: TeamCache
    private let mail: MailQueue
    private let database: TeamDatabase

    public init(site: Site, server: ServerContext, teams: TeamCache, mail: MailQueue, database: TeamDatabase) {
        self.site = site
        self.server = server
        self.teams = teams
        self.mail = mail
        self.database = database
    }

    /// Mailer that writes in the name of the team and in the recipient's language; nothing to an address that cannot
    /// receive mail.
    public var mailer: AccountMailer {
        AccountMailer { mail, recipient, language, team, transaction in
            guard recipient.isMailable else { return }
            if mail.isAlert {
                let use = RateLimit.Use(.mailToRecipient, by: .recipient(recipient.rawValue, for: .change, by: .team))
                guard try await database.isWithin([use], in: team, at: server.clock()) else { return }
            }
            let name = QuotedName(try await teams.snapshot(of: team)?.name ?? "").description
            let outgoing = OutgoingMail(message(mail, name, team, language), to: recipient, in: language, from: name)
            if case .decoy = mail {
                try await self.mail.simulateCost(outgoing, in: team, transaction)
            } else {
                try await self.mail.enqueue(outgoing, in: team, transaction)
            }
        }
    }

    private func message(_ mail: AccountMail, _ name: String, _ team: TeamID, _ language: Language) -> EmailMessage {
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
        case .known: notifications(.known(in: name), language)
        case .passwordChanged: notifications(.passwordChanged(in: name), language)
        case .ownPasswordChanged: notifications(.ownPasswordChanged(in: name), language)
        case .emailChanged: notifications(.emailChanged(in: name), language)
        case .factors(let change): notifications(.factors(change, in: name), language)
        }
    }

    /// Mail without a link.
    private func notifications(_ notifications: AccountNotification, _ language: Language) -> EmailMessage {
        .plain(
            subject: site.text(notifications.subject, in: language),
            paragraphs: notifications.paragraphs.map { site.text($0, in: language) })
    }

    /// URL with the configured host, never with one from a request.
    private func url(_ path: String) -> String { server.publicURL + path }
}

extension AccountMail {
    /// Whether no user requested the mail; requested mail is counted earlier.
    fileprivate var isAlert: Bool {
        switch self {
        case .passwordChanged, .ownPasswordChanged, .emailChanged, .factors: true
        case .confirmation, .known, .passwordReset, .signInLink, .decoy, .invitation: false
        }
    }
}

/// Mail that informs a user and requires no action.
private struct AccountNotification {
    let subject: Message
    let paragraphs: [Message]

    private init(_ subject: Message, _ paragraphs: Message...) {
        self.subject = subject
        self.paragraphs = paragraphs
    }

    private static func notYou(_ team: String) -> Message { Message("mail.account.not-you", ["team": team]) }

    static func known(in team: String) -> AccountNotification {
        AccountNotification(
            Message("mail.account.known-subject", ["team": team]), Message("mail.account.known-body", ["team": team]),
            Message("mail.account.known-advice"))
    }

    static func passwordChanged(in team: String) -> AccountNotification {
        AccountNotification(
            Message("mail.account.password-subject", ["team": team]),
            Message("mail.account.password-body", ["team": team]), notYou(team))
    }

    static func ownPasswordChanged(in team: String) -> AccountNotification {
        AccountNotification(
            Message("mail.account.password-subject", ["team": team]),
            Message("mail.account.own-password-body", ["team": team]), notYou(team))
    }

    static func emailChanged(in team: String) -> AccountNotification {
        AccountNotification(
            Message("mail.account.email-subject", ["team": team]), Message("mail.account.email-body", ["team": team]),
            notYou(team))
    }

    static func factors(_ change: FactorChange, in team: String) -> AccountNotification {
        AccountNotification(Message("mail.factors.subject", ["team": team]), change.words(of: team), notYou(team))
    }
}

extension FactorChange {
    /// Description of the change, in one or two sentences.
    fileprivate func words(of team: String) -> Message {
        switch self {
        case .totpAdded: Message("mail.factors.totp-added", ["team": team])
        case .totpReplaced: Message("mail.factors.totp-replaced", ["team": team])
        case .totpRemoved: Message("mail.factors.totp-removed", ["team": team])
        case .passkeyAdded(let name): Message("mail.factors.passkey-added", ["name": name, "team": team])
        case .passkeyRemoved(let name): Message("mail.factors.passkey-removed", ["name": name, "team": team])
        case .recoveryCodesRenewed: Message("mail.factors.codes-renewed", ["team": team])
        case .reset: Message("mail.factors.reset", ["team": team])
        case .appleConnected: Message("mail.factors.apple-connected", ["team": team])
        case .appleDisconnected: Message("mail.factors.apple-disconnected", ["team": team])
        }
    }
}
