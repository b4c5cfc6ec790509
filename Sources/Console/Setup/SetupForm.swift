import Bytes
import Directory
import Domain
import HTTP
import Web

/// What is asked of the first operator, as it was typed and as it was understood.
struct SetupForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    private(set) var email = ""
    private(set) var team: NewTeamForm
    private(set) var ownErrors = FieldErrors()

    /// Everything it takes to begin.
    struct Accepted: Sendable {
        let name: PersonName
        let email: EmailAddress
        let password: NewPassword
        let team: NewTeamForm.Accepted
    }

    /// - Parameter host: what people reach Pippin under.
    init(host: String) {
        team = NewTeamForm(nameField: "team_name", host: host)
    }

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    mutating func read(_ form: Form, _ choice: PasswordChoice) async throws -> Accepted? {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        email = form["email"] ?? ""
        let name = ownErrors.readName(given: givenName, family: familyName)
        let address = ownErrors.require(
            EmailAddress(rawValue: email.withoutWhiteSpace),
            "email",
            Phrase("console.setup.email.wrong")
        )
        let password = try await ownErrors.readPassword(
            form["password"] ?? "",
            address,
            name,
            around: [form["team_name"] ?? ""],
            choice
        )
        guard let team = team.read(form), let name, let address, let password else { return nil }
        return Accepted(name: name, email: address, password: password, team: team)
    }

    mutating func refuseTeamID() {
        team.refuseID()
    }

    /// Of the whole form, in the order of the page.
    var errors: [FormError] { ownErrors.summary + team.errors.summary }

    var givenNameView: FieldView { AccountFields.givenName(givenName, ownErrors) }
    var familyNameView: FieldView { AccountFields.familyName(familyName, ownErrors) }
    var passwordView: FieldView { AccountFields.password(ownErrors) }

    var emailView: FieldView {
        FieldView(
            "email",
            label: Phrase("console.setup.email"),
            type: "email",
            value: email,
            autocomplete: "username",
            hint: Phrase("console.setup.email.hint"),
            error: ownErrors["email"]
        )
    }
}
