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
            Phrase("console.setup.email.wrong")
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
            label: Phrase("console.setup.given-name"),
            value: givenName,
            autocomplete: "given-name",
            error: ownErrors["given_name"],
            isRequired: false
        )
    }

    var familyNameView: FieldView {
        FieldView(
            "family_name",
            label: Phrase("console.setup.family-name"),
            value: familyName,
            autocomplete: "family-name",
            error: ownErrors["family_name"],
            isRequired: false
        )
    }

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

    /// What was typed is not sent back: a password stands in no page.
    var passwordView: FieldView {
        FieldView(
            "password",
            label: Phrase("console.setup.password"),
            type: "password",
            autocomplete: "new-password",
            hint: Phrase("console.setup.password.hint", count: NewPassword.lengths.lowerBound),
            error: ownErrors["password"]
        )
    }

    private mutating func readName() -> PersonName? {
        let message = Phrase("console.setup.name.too-long", count: PersonName.maximumLength)
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
                ownErrors.add(
                    "password",
                    Phrase("console.setup.password.too-short", count: NewPassword.lengths.lowerBound)
                )
            case .tooLong:
                ownErrors.add(
                    "password",
                    Phrase("console.setup.password.too-long", count: NewPassword.lengths.upperBound)
                )
            case .isEmail: ownErrors.add("password", Phrase("console.setup.password.is-email"))
            }
            return nil
        }
    }
}
