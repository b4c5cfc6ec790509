import Bytes
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Page of a member, with forms for the role, the transfer of ownership and the removal.
struct MemberPage: ConsolePage {
    static let template = "console/members/show"
    static let fields = frameFields.with {
        $0.group("person", PersonView.fields) { $0.row.person }
        $0.words("role") { $0.row.member.role.words.localizedText }
        $0.group("since", TimeView.fields) { TimeView($0.row.member.since) }
        $0.text("roleURL") { MemberRoutes.role.link($0.row.team, $0.row.member.account) }
        $0.text("was") { $0.row.member.role.rawValue }
        $0.group("roles", ChoicesView.fields) { $0.roles }
        $0.list("errors", FormError.fields) { $0.errors.summary }
        $0.optionalGroup("transfer", DangerView.fields) { $0.transfer }
        $0.group("removal", DangerView.fields) { $0.removal }
    }

    let frame: ConsoleFrame
    let row: MemberRow
    let roles: ChoicesView
    var errors = FieldErrors()
    /// Nil unless the account is an owner and the page shows another member.
    let transfer: DangerView?
    let removal: DangerView
}
