import Bytes
import Domain
import HTTP
import Web

/// Whom a member invites and as what, as it was typed and as it was understood.
struct InviteForm: Sendable {
    private(set) var email = ""
    private(set) var role = Role.developer
    var errors = FieldErrors()

    /// Reads what was typed; nil when something is wrong, which `errors` then tells.
    mutating func read(_ form: Form, allowing roles: [Role]) -> (email: EmailAddress, role: Role)? {
        email = form["email"] ?? ""
        let address = errors.require(
            EmailAddress(rawValue: email.trimmed),
            "email",
            Phrase("console.members.email.wrong")
        )
        let chosen = errors.require(
            form["role"].flatMap(Role.init(rawValue:)).flatMap { roles.contains($0) ? $0 : nil },
            "role",
            Phrase("console.members.role.wrong")
        )
        if let chosen { role = chosen }
        guard let address, let chosen else { return nil }
        return (address, chosen)
    }

    var emailView: FieldView {
        FieldView(
            "email",
            label: Phrase("console.members.email"),
            type: "email",
            value: email,
            autocomplete: "off",
            placeholder: "ben@acme.example",
            error: errors["email"]
        )
    }

    func roleView(_ roles: [Role]) -> ChoicesView {
        ChoicesView(
            "role",
            label: Phrase("console.members.role"),
            error: errors["role"],
            options: roles.map { option in
                ChoicesView.Option(
                    option.rawValue,
                    option.words,
                    hint: option.reach,
                    isChecked: option == role
                )
            }
        )
    }
}

extension Role {
    /// What the role may do, in one sentence.
    var reach: Phrase? {
        switch self {
        case .operator: nil
        case .owner: Phrase("console.members.reach.owner")
        case .admin: Phrase("console.members.reach.admin")
        case .developer: Phrase("console.members.reach.developer")
        case .auditor: Phrase("console.members.reach.auditor")
        }
    }

    /// The roles that a member of this one may give, the widest first.
    var grantable: [Role] {
        [.owner, .admin, .developer, .auditor].filter(mayManage)
    }
}
