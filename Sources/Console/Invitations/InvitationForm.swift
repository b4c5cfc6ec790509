import Bytes
import Directory
import Domain
import HTTP
import Web

/// What is asked of somebody who makes a console account on an invitation.
///
/// The address is not asked for: the link has proved it.
struct InvitationForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    var errors = FieldErrors()

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    ///
    /// - Parameter team: the name of the one that invites.
    mutating func read(
        _ form: Form,
        for email: EmailAddress,
        to team: String,
        _ choice: PasswordChoice
    ) async throws -> (name: PersonName, password: NewPassword)? {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = errors.readName(given: givenName, family: familyName)
        let password = try await errors.readPassword(
            form["password"] ?? "",
            email,
            name,
            around: [team],
            choice
        )
        guard let name, let password else { return nil }
        return (name, password)
    }

    /// Notes that somebody signs in with the invited address already.
    mutating func refuseAddress() {
        errors.add("email", Phrase("console.invitation.account-exists"))
    }

    var givenNameView: FieldView { AccountFields.givenName(givenName, errors) }
    var familyNameView: FieldView { AccountFields.familyName(familyName, errors) }
    var passwordView: FieldView { AccountFields.password(errors) }
}
