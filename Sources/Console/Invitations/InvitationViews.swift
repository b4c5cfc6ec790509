import Bytes
import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// What the link of an invitation opens: the team, the role, and the ways to join.
struct InvitationPage: SetupView {
    static let template = "invitations/show"
    static let fields =
        frameFields
        .text("teamName") { $0.open.team.settings.name.rawValue }
        .text("teamInitial") { Initial.of($0.open.team.settings.name.rawValue) }
        .words("role") { $0.open.invitation.role.words.asWords }
        .optionalWords("reach") { $0.open.invitation.role.reach?.asWords }
        .text("email") { $0.open.invitation.email.rawValue }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .list("errors", FormError.fields) { $0.form.errors.summary }
        .optionalGroup("person", PersonView.fields) { $0.person }
        .text("signInURL") { $0.signInURL }
        .group("givenName", FieldView.fields) { $0.form.givenNameView }
        .group("familyName", FieldView.fields) { $0.form.familyNameView }
        .group("password", FieldView.fields) { $0.form.passwordView }

    let frame: SetupFrame
    let open: OpenInvitation
    let action: String
    let formToken: String
    /// Where an account that exists signs in and comes back to this page.
    let signInURL: String
    /// Who is signed in already.
    let person: PersonView?
    var form = InvitationForm()
}

/// Who made an account by the link belongs to the team and has to sign in.
struct InvitationJoinedPage: SetupView {
    static let template = "invitations/joined"
    static let fields =
        frameFields
        .words("heading") { $0.frame.title }
        .text("teamURL") { ConsoleRoutes.overview.link($0.team) }

    let frame: SetupFrame
    let team: TeamID
}

/// The link was used or withdrawn, or is too old; or the team has no room.
struct InvitationGonePage: SetupView {
    static let template = "invitations/gone"
    static let fields =
        frameFields
        .words("heading") { $0.frame.title }
        .words("message") { $0.message.asWords }
        .text("consoleURL") { _ in ConsoleRoutes.home.link() }

    let frame: SetupFrame
    let message: Phrase
}
