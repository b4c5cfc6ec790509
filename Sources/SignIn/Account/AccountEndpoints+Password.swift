import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

// Another password.
extension AccountEndpoints {
    func askPassword(_ person: Person) async throws -> Response {
        pages.respond(passwordPage(person, login: try await login(of: person)))
    }

    /// Changes the password of a person who knows the old one, and ends their other sessions.
    func changePassword(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        let login = try await login(of: person)
        var page = passwordPage(person, login: login)
        let password: NewPassword
        do throws(NewPassword.Problem) {
            password = try NewPassword(
                form["new"] ?? "",
                email: person.session.user.email,
                login: LoginName(rawValue: login)
            )
        } catch {
            page.errors.add("new", error.words)
            return pages.respond(page, status: .unprocessableContent)
        }
        if let refusal = try await refusal(of: form["current"] ?? "", login, person) {
            page.errors.add("current", refusal.words)
            return answer(pages.respond(page, status: refusal.status), refusal)
        }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await accounts.hasher.hash(password)
        } catch {
            throw Problem.unavailable
        }
        _ = try await accounts.passwords.set(
            hash,
            for: person.subject,
            in: person.team.id,
            by: person.actor,
            from: person.request.auditOrigin,
            keeping: person.session.id
        )
        return home(person, .passwordChanged)
    }

    /// What is wrong with the password a person gave to prove that it is still them; nil when it is right.
    ///
    /// Their browser is one the account knows, so that strangers who lock it cannot keep them out.
    func refusal(of password: String, _ login: String, _ person: Person) async throws -> OwnPasswordRefusal? {
        let known = KnownBrowsers(
            nil,
            of: person.team.id,
            browser: person.visitor.browser,
            formTokens: site.formTokens
        )
        let result = try await accounts.signIn.authenticate(
            login: login,
            password: password,
            in: person.team.id,
            from: person.request.auditOrigin,
            knownBrowser: known.secret(of: login),
            at: context.clock()
        )
        return OwnPasswordRefusal(result, of: person.subject)
    }

    func answer(_ response: Response, _ refusal: OwnPasswordRefusal) -> Response {
        var response = response
        if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    func login(of person: Person) async throws -> String {
        let detail = try await accounts.details.find(
            person.subject,
            in: person.team.id,
            at: context.clock()
        )
        guard let detail, detail.hasPassword, let login = detail.logins.first else { throw Problem.notFound }
        return login.rawValue
    }

    private func passwordPage(_ person: Person, login: String) -> PasswordPage {
        PasswordPage(
            frame: frame(Phrase("hosted.password.title"), person),
            action: TeamRoutes.ownPassword.link(person.team.id),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id),
            login: login
        )
    }
}

/// Why a person's own password was not taken.
struct OwnPasswordRefusal: Sendable {
    let words: Phrase
    let status: Status
    let retryAfter: Int?

    /// Nil when it is the person's.
    init?(_ result: SignInResult, of subject: Subject) {
        if case .success(let user) = result, user.subject == subject { return nil }
        let refusal = SignInRefusal(result)
        let isWrong = refusal.retryAfter == nil
        words = isWrong ? Phrase("hosted.password.wrong") : refusal.words
        status = isWrong ? .unprocessableContent : refusal.status
        retryAfter = refusal.retryAfter
    }
}
