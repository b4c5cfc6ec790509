import Directory
import Domain
import HTTP
import Web

/// What is asked of the first operator, as it was typed and as it was understood.
struct SetupForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    private(set) var email = ""
    private(set) var team = NewTeamForm(nameField: "team_name")
    private var ownErrors = FieldErrors()

    /// Everything it takes to begin.
    struct Accepted: Sendable {
        let name: PersonName
        let email: EmailAddress
        let password: NewPassword
        let team: NewTeamForm.Accepted
    }

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    mutating func read(_ form: Form) -> Accepted? {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        email = form["email"] ?? ""
        let name = readName()
        let address = ownErrors.require(
            EmailAddress(rawValue: email.filter { !$0.isWhitespace }),
            "email",
            "Enter an address such as ada@acme.example"
        )
        let password = readPassword(form["password"] ?? "", address)
        guard let team = team.read(form), let name, let address, let password else { return nil }
        return Accepted(name: name, email: address, password: password, team: team)
    }

    mutating func refuseTeamID() {
        team.refuseID()
    }

    /// Of the whole form, in the order of the page.
    var errors: [FormError] { ownErrors.summary + team.errors.summary }

    var givenNameView: FieldView {
        FieldView(
            "given_name",
            label: "Given name",
            value: givenName,
            autocomplete: "given-name",
            error: ownErrors["given_name"],
            isRequired: false
        )
    }

    var familyNameView: FieldView {
        FieldView(
            "family_name",
            label: "Family name",
            value: familyName,
            autocomplete: "family-name",
            error: ownErrors["family_name"],
            isRequired: false
        )
    }

    var emailView: FieldView {
        FieldView(
            "email",
            label: "E-mail address",
            type: "email",
            value: email,
            autocomplete: "username",
            hint: "You sign in with it.",
            error: ownErrors["email"]
        )
    }

    /// What was typed is not sent back: a password stands in no page.
    var passwordView: FieldView {
        FieldView(
            "password",
            label: "Password",
            type: "password",
            autocomplete: "new-password",
            hint: "At least \(NewPassword.lengths.lowerBound) characters; a few words do well.",
            error: ownErrors["password"]
        )
    }

    private mutating func readName() -> PersonName? {
        let message = "One line of at most \(PersonName.maximumLength) characters"
        if PersonName(given: givenName, family: "") == nil { ownErrors.add("given_name", message) }
        if PersonName(given: "", family: familyName) == nil { ownErrors.add("family_name", message) }
        return PersonName(given: givenName, family: familyName)
    }

    private mutating func readPassword(_ text: String, _ email: EmailAddress?) -> NewPassword? {
        do throws(NewPassword.Problem) {
            return try NewPassword(text, email: email)
        } catch {
            switch error {
            case .tooShort:
                ownErrors.add("password", "Use at least \(NewPassword.lengths.lowerBound) characters")
            case .tooLong:
                ownErrors.add("password", "Use at most \(NewPassword.lengths.upperBound) characters")
            case .isEmail: ownErrors.add("password", "Choose something other than your address")
            }
            return nil
        }
    }
}
