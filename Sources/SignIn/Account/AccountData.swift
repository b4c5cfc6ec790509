import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Download of the user's data, and deletion of the account.
struct AccountData: Sendable {
    let steps: AccountSteps

    /// Shows the download button; requires the same recent proof as the download, so that no submitted form is
    /// redirected.
    func askToDownload(_ person: SignedInUser) async throws -> Response {
        if let detour = try await proofBeforeDownload(person) { return detour }
        let action = TeamRoutes.ownData.link(person.team.id)
        return steps.pages.respond(
            AccountDataPage(form: steps.form(Message("hosted.data.title"), to: action, for: person)))
    }

    /// Returns all data that the team stores about the user, as JSON.
    func download(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        if let detour = try await proofBeforeDownload(person) { return detour }
        let use = RateLimit.Use(.heavyWork, by: .account(person.subject))
        try await steps.database.count([use], in: person.team.id, at: steps.server.clock())
        let export = try await steps.accounts.exports.begin(
            person.subject, in: person.team.id, for: .person, by: person.actor, from: person.visit.origin)
        guard let export else { throw UserFacingError.notFound }
        return Response(
            fields: [
                HeaderField(.contentType, "application/json"),
                HeaderField(.contentDisposition, "attachment; filename=\"account.json\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ], stream: BodyStream { try await export.next() })
    }

    func askToDelete(_ person: SignedInUser) async throws -> Response {
        let page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        return steps.pages.respond(page)
    }

    /// Deletes the account if the user typed its email address or `sub` and, where it has a password, the password.
    func delete(_ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        var page = try await deletionPage(person)
        if let detour = try await proofBeforeDeletion(page, person) { return detour }
        page.typed = form["confirmation"] ?? ""
        guard Retyped(page.typed, expecting: page.expected).isRight else {
            page.errors.add("confirmation", Message("hosted.deletion.confirm-wrong", ["expected": page.expected]))
            return steps.pages.respond(page, status: .unprocessableContent)
        }
        if page.hasPassword, let refusal = try await steps.refusal(of: form["password"] ?? "", page.login, person) {
            page.errors.add("password", refusal.words)
            return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
        }
        _ = try await steps.accounts.deletions.delete(
            person.subject, in: person.team.id, by: person.actor,
            with: page.hasPassword ? steps.right(of: person) : steps.freshRight(of: person), from: person.visit.origin)
        let done = AccountDeletedPage(frame: steps.frame(Message("hosted.deletion.done-title"), person))
        var response = steps.pages.respond(done)
        response.set(steps.site.cookies.forgotten(steps.site.cookies.session(of: person.team.id)))
        return response
    }

    /// Redirect to a proof before the deletion of an account without a password; nil if none is needed.
    ///
    /// A session alone may have been taken over. The proof is a second factor of the user or a new sign-in.
    private func proofBeforeDeletion(_ page: AccountDeletionPage, _ person: SignedInUser) async throws -> Response? {
        guard !page.hasPassword else { return nil }
        return try await detour(trusting: false, to: TeamRoutes.deletion.link(person.team.id), person)
    }

    /// Redirect to a proof, which may be the password, before the download of all data; nil if none is needed.
    private func proofBeforeDownload(_ person: SignedInUser) async throws -> Response? {
        let (subject, team) = (person.subject, person.team.id)
        guard let detail = try await steps.accounts.details.find(subject, in: team, at: steps.server.clock()) else {
            throw UserFacingError.notFound
        }
        let hasPassword = detail.hasPassword && !detail.logins.isEmpty
        return try await detour(trusting: hasPassword, to: TeamRoutes.ownData.link(team), person)
    }

    /// Redirect to a new proof, which leads back to `page`; nil if the user's latest proof is recent.
    ///
    /// - Parameter password: whether the user has a password that can be requested.
    private func detour(trusting password: Bool, to page: String, _ person: SignedInUser) async throws -> Response? {
        guard steps.server.clock() - person.session.provedAt > AccountSteps.proofLife else { return nil }
        let team = person.team.id
        let kinds = try await steps.factors.kinds(of: person.subject, in: team)
        let proof = kinds.isEmpty && !password ? TeamRoutes.session.link(team) : TeamRoutes.proof.link(team)
        return .redirect(to: "\(proof)?next=\(PercentCoding.encode(page))")
    }

    /// Page for the deletion; throws `UserFacingError.notFound` in the system team, whose members first leave their
    /// teams, in the console.
    private func deletionPage(_ person: SignedInUser) async throws -> AccountDeletionPage {
        guard person.team.id != .system,
            let detail = try await steps.accounts.details.find(
                person.subject, in: person.team.id, at: steps.server.clock())
        else { throw UserFacingError.notFound }
        let login = detail.logins.first?.rawValue ?? ""
        return AccountDeletionPage(
            form: steps.form(
                Message("hosted.deletion.title"), to: TeamRoutes.deletion.link(person.team.id), for: person),
            login: login, expected: detail.user.email?.shown ?? person.subject.rawValue,
            appCount: detail.consents.count, hasPassword: detail.hasPassword && !login.isEmpty)
    }
}

/// Confirmation that the account is deleted.
struct AccountDeletedPage: FramedPage {
    static let template = "hosted/account-deleted"
    static let fields = frameFields

    let frame: HostedFrame
}

/// Page for downloading all data stored about the user.
struct AccountDataPage: FormPage {
    static let template = "hosted/account-data"
    static let fields = formFields

    let form: HostedForm
}

/// Form to delete the account, confirmed by typing its email address or `sub`.
struct AccountDeletionPage: FormPage {
    static let template = "hosted/account-deletion"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.text("expected") { $0.expected }
        $0.optionalWords("apps") { $0.appCount == 0 ? nil : Message("hosted.deletion.apps", count: $0.appCount) }
        $0.group("confirmation", Input.fields) { page in
            Input(
                "confirmation", Message("hosted.deletion.confirm", ["expected": page.expected]), page.typed,
                errors: page.errors)
        }
        $0.optionalGroup("password", Input.fields) { page in
            page.hasPassword ? .currentPassword("password", page.errors) : nil
        }
    }

    let form: HostedForm
    let login: String
    /// Text to type: the email address, or the `sub` of an account without one.
    let expected: String
    let appCount: Int
    let hasPassword: Bool
    var typed = ""
    var errors = FieldErrors()
}
