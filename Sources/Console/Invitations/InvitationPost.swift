import AuthEngine
import Bytes
import Crypto
import HTTP
import Mail
import Postgres
import Tenancy
import Web

/// Writes the letter of an invitation.
struct InvitationPost: Sendable {
    private let publicURL: String
    private let mail: MailQueue

    init(_ parts: Console.Parts) {
        publicURL = parts.context.publicURL
        mail = parts.mail
    }

    /// Enqueues the letter in the transaction that stores the invitation; its link exists nowhere else.
    func send(
        _ issued: InvitationStore.Issued,
        _ scope: Scope,
        _ transaction: borrowing Transaction
    ) async throws {
        let letter = Letter.invitation(
            inviter: scope.account.person.name,
            team: scope.team.settings.name.rawValue,
            link: publicURL + MemberRoutes.invitation.link(issued.token.text),
            until: issued.invitation.expiresAt
        )
        // In the name of the console: the team is nobody its reader knows.
        try await mail.enqueue(
            OutgoingMail(letter, to: issued.invitation.email, in: .english, from: "Pippin"),
            in: scope.teamID,
            transaction
        )
    }
}
