import Bytes
import Directory
import Domain
import HTTP
import Localization
import Web

/// Form for a new console account that accepts an invitation.
///
/// It has no email field, because the link proves the invited address.
struct InvitationForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    var errors = FieldErrors()

    /// Reads and validates the form; on failure, adds to `errors` and returns nil.
    ///
    /// - Parameter team: the name of the inviting team, whose words alone are too weak for a password.
    mutating func read(_ form: Form, for email: EmailAddress, to team: String, _ choice: PasswordChoice) async throws
        -> (name: PersonName, password: NewPassword)?
    {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = errors.readName(given: givenName, family: familyName)
        let password = try await errors.readPassword(form["password"] ?? "", email, name, around: [team], choice)
        guard let name, let password else { return nil }
        return (name, password)
    }

    /// Adds the error that an account with the invited address already exists.
    mutating func refuseAddress() { errors.add("email", Message("console.invitation.account-exists")) }

    var givenNameView: FieldView { AccountFields.givenName(givenName, errors) }
    var familyNameView: FieldView { AccountFields.familyName(familyName, errors) }
    var passwordView: FieldView { AccountFields.password(errors) }
}
