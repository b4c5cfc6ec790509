import Bytes
import Crypto
import Domain
import HTTP
import Localization
import Mail
import Postgres
import Tenancy
import Web

/// Sends the email of a team invitation.
struct InvitationMailer: Sendable {
    private let publicURL: String
    private let mail: MailQueue

    init(_ parts: Console.Parts) {
        publicURL = parts.server.publicURL
        mail = parts.mail
    }

    /// Enqueues the email in the transaction that stores the invitation; the link is stored nowhere else.
    func send(_ issued: InvitationStore.Issued, _ context: TeamContext, _ transaction: borrowing Transaction)
        async throws
    {
        let message = EmailMessage.invitation(
            inviter: context.account.person.name, team: context.team.settings.name.rawValue,
            link: publicURL + MemberRoutes.invitation.link(issued.token.text), until: issued.invitation.expiresAt)
        // The sender's name is the console's, because the recipient need not know the team yet.
        try await mail.enqueue(
            OutgoingMail(message, to: issued.invitation.email, in: .english, from: "Pippin"), in: context.teamID,
            transaction)
    }
}
