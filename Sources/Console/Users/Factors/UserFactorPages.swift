import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import SignIn
import Templates
import Web

/// The second factors of a person, whom the team helps when a phone is lost: looked at, and taken away.
struct UserFactorPages: Sendable {
    private let users: UserStore
    private let factors: FactorStore
    private let post: AccountPost
    private let page: LivePage<UserFactorPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        users = UserStore(parts.database)
        factors = FactorStore(parts.database)
        let letters = AccountLetters(
            site: parts.site,
            context: parts.context,
            teams: parts.teams,
            mail: parts.mail
        )
        post = letters.post
        page = try parts.site.pages.page(UserFactorPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(UserRoutes.factors, needs: .read, at: .users) { scope, subject in
            try await respond(scope, try await find(subject, scope))
        }
        router.post(UserRoutes.factorReset, needs: .changeUsers, at: .users) { scope, form, subject in
            try await reset(scope, form, try await find(subject, scope))
        }
    }

    /// Takes all of them and signs the person out; what that was for is on record, and they get a mail.
    private func reset(_ scope: Scope, _ form: Form, _ user: User) async throws -> Response {
        let confirmation = Confirmation(form, expecting: user.confirmationText)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await respond(scope, user, confirmation, error, status: .unprocessableContent)
        }
        let isReset = try await factors.reset(
            of: user.subject,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin,
            telling: FactorPost(post, in: scope.request.language)
        )
        let name = user.shownName
        let flash: Flash =
            isReset
            ? .good(Phrase("console.user-factors.flash.reset", ["name": name]))
            : .warn(Phrase("console.user-factors.flash.none", ["name": name]))
        return scope.redirect(to: ConsoleRoutes.user.link(scope.teamID, user.subject), saying: flash)
    }

    private func find(_ subject: Subject, _ scope: Scope) async throws -> User {
        guard let user = try await users.find(subject, in: scope.teamID) else { throw Web.Problem.notFound }
        return user
    }

    private func respond(
        _ scope: Scope,
        _ user: User,
        _ typed: Confirmation? = nil,
        _ problems: FormProblems = .none,
        status: Status = .ok
    ) async throws -> Response {
        let (subject, team) = (user.subject, scope.teamID)
        let list = try await factors.list(of: subject, in: team)
        let view = UserFactorPage(
            frame: scope.frame(Phrase("console.user-factors.title")),
            team: team,
            user: user,
            factors: list,
            codesLeft: try await factors.enrolled(of: subject, in: team).recoveryCodesLeft,
            danger: scope.may(.changeUsers) && !list.isEmpty ? danger(user, team, typed, problems) : nil
        )
        return scope.site.respond(page, view, status: status)
    }

    private func danger(
        _ user: User,
        _ team: TeamID,
        _ typed: Confirmation?,
        _ problems: FormProblems
    ) -> DangerView {
        (typed ?? Confirmation(expecting: user.confirmationText)).view(
            action: UserRoutes.factorReset.link(team, user.subject),
            summary: Phrase("console.user-factors.reset.summary"),
            consequences: [
                Phrase("console.user-factors.reset.password"), Phrase("console.user-factors.reset.mail"),
                Phrase("console.user-factors.reset.identity"),
            ],
            button: Phrase("console.user-factors.reset.button"),
            problems
        )
    }

    static var views: [any View.Type] { [UserFactorPage.self] }
}
