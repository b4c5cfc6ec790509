import Core
import Crypto
import Directory
import HTTP
public import Platform
public import Postgres
public import Registry
import SignIn
import Templates

/// Handlers to invite a member to a team, to resend an invitation and to withdraw it.
struct InvitationPages: ConsolePages {
    let parts: Console.Parts

    private var invitations: InvitationStore { InvitationStore(database) }
    private var roster: MemberRoster { MemberRoster(parts: parts) }

    func mount(on router: inout ConsoleRouter) {
        router.post(MemberRoutes.invitations, needs: .changeMembers, at: .members) { context, form in
            try await invite(context, form)
        }
        router.post(MemberRoutes.resending, needs: .changeMembers, at: .members) { context, _, id in
            let invitation = try await find(id, context)
            return try await send(InviteForm(), invitation.email, as: invitation.role, context)
        }
        router.post(MemberRoutes.withdrawal, needs: .changeMembers, at: .members, countsForTeam: false) {
            context, _, id in try await withdraw(context, id)
        }
    }

    private func invite(_ context: TeamContext, _ fields: Form) async throws -> Response {
        var form = InviteForm()
        guard let accepted = form.read(fields, allowing: context.role.grantable) else {
            return try await roster.respond(context, form)
        }
        return try await send(form, accepted.email, as: accepted.role, context)
    }

    private func send(_ form: InviteForm, _ email: EmailAddress, as role: Role, _ context: TeamContext) async throws
        -> Response
    {
        let recipient = LimitKey.recipient(email.rawValue, for: .sender, by: .team)
        // Over all teams of the account that invites, so that many teams are no way round the limit.
        let ofAccount = LimitKey.recipient(email.rawValue, for: .sender, by: .account(context.account.subject))
        try await database.count([RateLimit.Use(.mailToRecipient, by: ofAccount)], in: .system, at: server.clock())
        try await database.count(
            RateLimit.Use.mail(to: recipient, by: .account(context.account.subject)), in: context.teamID,
            at: server.clock())
        let earlier = try await invitations.list(in: context.teamID).map(\.email)
        do {
            _ = try await invitations.invite(
                email, as: role, by: context.account.subject, in: context.teamID, from: context.origin,
                at: server.clock()
            ) { issued, change in
                try await parts.mail.enqueue(
                    issued, to: context.team.settings.name.rawValue, by: context.account.person.name,
                    at: server.publicURL, change)
            }
        } catch InvitationStore.Failure.tooMany {
            var form = form
            form.errors.add("email", Message("console.members.too-many"))
            return try await roster.respond(context, form)
        } catch InvitationStore.Failure.teamFull {
            var form = form
            form.errors.add("email", Message("console.members.full", ["limit": Quota.members.count]))
            return try await roster.respond(context, form)
        } catch InvitationStore.Failure.notAllowed { throw UserFacingError.forbidden }
        return context.redirect(
            to: MemberRoutes.list.link(context.teamID),
            saying: .invited(email, after: earlier, sendsMail: server.sendsMail))
    }

    private func withdraw(_ context: TeamContext, _ id: InvitationID) async throws -> Response {
        let invitation = try await find(id, context)
        do {
            let isWithdrawn = try await invitations.withdraw(
                id, by: context.account.subject, in: context.teamID, from: context.origin)
            guard isWithdrawn else { throw UserFacingError.notFound }
        } catch InvitationStore.Failure.notAllowed { throw UserFacingError.forbidden }
        let flash = Message("console.members.flash.withdrawn", ["email": invitation.email.shown])
        return context.redirect(to: MemberRoutes.list.link(context.teamID), saying: .good(flash))
    }

    private func find(_ id: InvitationID, _ context: TeamContext) async throws -> Invitation {
        try await invitations.find(id, in: context.teamID).orNotFound()
    }
}

extension MailQueue {
    /// Enqueues the email of an invitation in the transaction that stores it; the link is stored nowhere else.
    ///
    /// - Parameter inviter: name of the member who invites; empty for an operator's registry file.
    public func enqueue(
        _ issued: InvitationStore.Issued, to team: String, by inviter: String, at publicURL: String,
        _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let message = EmailMessage.invitation(
            inviter: inviter, team: team, link: publicURL + MemberRoutes.invitation.link(issued.token.text),
            until: issued.invitation.expiresAt)
        // The sender's name is the console's, because the recipient need not know the team yet.
        try await enqueue(
            OutgoingMail(message, to: issued.invitation.email, in: .english, from: "Pippin"), in: change.team,
            change.transaction)
    }
}

extension Flash {
    /// What became of an invitation, also of an earlier one of that address.
    static func invited(_ email: EmailAddress, after earlier: [EmailAddress], sendsMail: Bool) -> Flash {
        let isAgain = earlier.contains { $0.rawValue.lowercased() == email.rawValue.lowercased() }
        let sent: Message = isAgain ? Message("console.members.flash.again") : Message("console.members.flash.sent")
        return sendsMail
            ? .good(Message("console.members.flash.invited", ["email": email.shown, "sent": sent]))
            : .warn(Message("console.members.flash.kept", ["email": email.shown, "sent": sent]))
    }
}

/// Page of an invitation link: the team, the role, and the ways to join.
struct InvitationPage: FramedPage {
    static let template = "invitations/show"
    static let fields = frameFields.with {
        $0.text("teamName") { $0.open.team.settings.name.rawValue }
        $0.text("teamInitial") { Initial.of($0.open.team.settings.name.rawValue) }
        $0.words("role") { $0.open.invitation.role.words.localizedText }
        $0.optionalWords("reach") { $0.open.invitation.role.reach?.localizedText }
        $0.text("email") { $0.open.invitation.email.shown }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.errors { $0.form.errors.links }
        $0.optionalGroup("person", PersonView.fields) { $0.person }
        $0.text("signInURL") { $0.signInURL }
        $0.group("givenName", Input.fields) { $0.form.givenNameView }
        $0.group("familyName", Input.fields) { $0.form.familyNameView }
        $0.group("password", Input.fields) { $0.form.passwordView }
    }

    let frame: SetupFrame
    let open: OpenInvitation
    let action: String
    let formToken: String
    /// URL at which an existing account signs in and then returns to this page.
    let signInURL: String
    /// The signed-in user, or nil.
    let person: PersonView?
    var form = InvitationForm()
}

/// Error page for an invitation that is used, withdrawn or expired, or whose team is at its member limit.
struct InvitationGonePage: FramedPage {
    static let template = "invitations/gone"
    static let fields = frameFields.with {
        $0.words("heading") { $0.frame.title }
        $0.words("message") { $0.message.localizedText }
        $0.text("consoleURL") { _ in ConsoleRoutes.home.link() }
    }

    let frame: SetupFrame
    let message: Message
}

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

    var givenNameView: Input { AccountFields.givenName(givenName, errors) }
    var familyNameView: Input { AccountFields.familyName(familyName, errors) }
    var passwordView: Input { AccountFields.password(errors) }
}

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
        let address = errors.require(EmailAddress(typed: email), "email", Message("console.members.email.wrong"))
        let chosen = errors.require(
            form["role"].flatMap(Role.init(rawValue:)).flatMap { roles.contains($0) ? $0 : nil }, "role",
            Message("console.members.role.wrong"))
        if let chosen { role = chosen }
        guard let address, let chosen else { return nil }
        return (address, chosen)
    }

    /// - Parameter roles: the roles that the inviting member may assign.
    func inputs(_ roles: [Role]) -> [Input] {
        [
            Input(
                "email", Message("console.members.email"), email, as: .line("email"), placeholder: "ben@acme.example",
                errors: errors), .roles(roles, chosen: role, errors),
        ]
    }
}
