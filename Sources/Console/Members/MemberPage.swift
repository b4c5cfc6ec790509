import Bytes
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// One member: another role, the team handed over, the end of the membership.
struct MemberPage: ConsolePage {
    static let template = "console/members/show"
    static let fields =
        frameFields
        .group("person", PersonView.fields) { $0.row.person }
        .words("role") { $0.row.member.role.words.asWords }
        .group("since", TimeView.fields) { TimeView($0.row.member.since) }
        .text("roleURL") { MemberRoutes.role.link($0.row.team, $0.row.member.account) }
        .text("was") { $0.row.member.role.rawValue }
        .group("roles", ChoicesView.fields) { $0.roles }
        .list("errors", FormError.fields) { $0.errors.summary }
        .optionalGroup("transfer", DangerView.fields) { $0.transfer }
        .group("removal", DangerView.fields) { $0.removal }

    let frame: ConsoleFrame
    let row: MemberRow
    let roles: ChoicesView
    var errors = FieldErrors()
    /// For owners alone.
    let transfer: DangerView?
    let removal: DangerView
}
