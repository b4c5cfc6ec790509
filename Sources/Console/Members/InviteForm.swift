import Bytes
import Domain
import HTTP
import Localization
import Web

/// Form that invites a member: email and role as entered, with their errors.
struct InviteForm: Sendable {
    private(set) var email = ""
    private(set) var role = Role.developer
    var errors = FieldErrors()

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    ///
    /// - Parameter roles: the roles that the inviting member may assign.
    mutating func read(_ form: Form, allowing roles: [Role]) -> (email: EmailAddress, role: Role)? {
        email = form["email"] ?? ""
        let address = errors.require(
            EmailAddress(rawValue: email.trimmed), "email", Message("console.members.email.wrong"))
        let chosen = errors.require(
            form["role"].flatMap(Role.init(rawValue:)).flatMap { roles.contains($0) ? $0 : nil }, "role",
            Message("console.members.role.wrong"))
        if let chosen { role = chosen }
        guard let address, let chosen else { return nil }
        return (address, chosen)
    }

    var emailView: FieldView {
        FieldView(
            "email", label: Message("console.members.email"), type: "email", value: email, autocomplete: "off",
            placeholder: "ben@acme.example", error: errors["email"])
    }

    func roleView(_ roles: [Role]) -> ChoicesView {
        ChoicesView(
            "role", label: Message("console.members.role"), error: errors["role"],
            options: roles.map { option in
                ChoicesView.Option(option.rawValue, option.words, hint: option.reach, isChecked: option == role)
            })
    }
}

extension Role {
    /// Description of the role's rights in one sentence; nil for `operator`.
    var reach: Message? {
        switch self {
        case .operator: nil
        case .owner: Message("console.members.reach.owner")
        case .admin: Message("console.members.reach.admin")
        case .developer: Message("console.members.reach.developer")
        case .auditor: Message("console.members.reach.auditor")
        }
    }

    /// Roles that a member with this role may assign, most powerful first.
    var grantable: [Role] { [.owner, .admin, .developer, .auditor].filter(mayManage) }
}
