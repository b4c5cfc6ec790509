import Bytes
import Directory
import Domain
import HTTP
import Localization
import Web

/// Setup form: the first operator and team as entered, with errors.
struct SetupForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    private(set) var email = ""
    private(set) var team: NewTeamForm
    private(set) var ownErrors = FieldErrors()

    /// Valid input of the form.
    struct Accepted: Sendable {
        let name: PersonName
        let email: EmailAddress
        let password: NewPassword
        let team: NewTeamForm.Accepted
    }

    /// - Parameter host: host name of Pippin's public URL.
    init(host: String) { team = NewTeamForm(nameField: "team_name", host: host) }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form, _ choice: PasswordChoice) async throws -> Accepted? {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        email = form["email"] ?? ""
        let name = ownErrors.readName(given: givenName, family: familyName)
        let address = ownErrors.require(
            EmailAddress(rawValue: email.withoutWhiteSpace), "email", Message("console.setup.email.wrong"))
        let password = try await ownErrors.readPassword(
            form["password"] ?? "", address, name, around: [form["team_name"] ?? ""], choice)
        guard let team = team.read(form), let name, let address, let password else { return nil }
        return Accepted(name: name, email: address, password: password, team: team)
    }

    mutating func refuseTeamID() { team.refuseID() }

    /// Errors of the whole form, in the order of the page.
    var errors: [FormError] { ownErrors.summary + team.errors.summary }

    var givenNameView: FieldView { AccountFields.givenName(givenName, ownErrors) }
    var familyNameView: FieldView { AccountFields.familyName(familyName, ownErrors) }
    var passwordView: FieldView { AccountFields.password(ownErrors) }

    var emailView: FieldView {
        FieldView(
            "email", label: Message("console.setup.email"), type: "email", value: email, autocomplete: "username",
            hint: Message("console.setup.email.hint"), error: ownErrors["email"])
    }
}
