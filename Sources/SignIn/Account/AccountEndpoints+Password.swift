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
    ///
    /// The old one first: nobody else has a new one judged.
    func changePassword(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        let login = try await login(of: person)
        var page = passwordPage(person, login: login)
        let user = person.session.user
        let rule = PasswordRule(
            in: person.team.id,
            email: user.email,
            login: LoginName(rawValue: login),
            name: user.name,
            around: [person.team.name]
        )
        if let refusal = try await refusal(of: form["current"] ?? "", login, person) {
            page.errors.add("current", refusal.words)
            return answer(pages.respond(page, status: refusal.status), refusal)
        }
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: person))
        guard let password = chosen else { return page.errors.refuse { pages.respond(page, status: $0) } }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await accounts.hasher.hash(password, for: person.team.id)
        } catch {
            throw Problem.unavailable
        }
        try await accounts.passwords.change(
            to: hash,
            by: right(of: person),
            in: person.team.id,
            from: person.request.auditOrigin,
            telling: factorPost(person)
        )
        var response = home(person, .passwordChanged)
        response.set(
            door.remember(login, of: user, after: 1, person.request, person.team.id, person.visitor)
        )
        return response
    }

    private func passwordChoice(of person: Person) -> PasswordChoice {
        PasswordChoice(
            in: "new",
            by: .person(person.subject),
            in: person.team.id,
            from: person.request.auditOrigin,
            at: context.clock(),
            with: accounts.newPasswords
        )
    }

    /// What is wrong with the password a person gave to prove that it is still them; nil when it is right.
    ///
    /// Their tries have a count of their own, so that strangers who lock the account cannot keep them out. It is the
    /// person's, whatever the browser: what its cookie holds is the sender's to choose, and whoever has stolen a session
    /// would choose anew for every ten guesses. The right ones count too, to keep one person from having as many hashed as
    /// they like.
    func refusal(of password: String, _ login: String, _ person: Person) async throws -> OwnPasswordRefusal? {
        let wait = try await counts.charge(
            .account("own-password-tries", person.subject.rawValue),
            limit: Self.ownPasswordTries,
            window: NewPasswords.window,
            in: person.team.id,
            at: context.clock()
        )
        if let wait { return OwnPasswordRefusal(waiting: wait) }
        let result = try await accounts.signIn.authenticate(
            login: login,
            password: password,
            in: person.team.id,
            from: person.request.auditOrigin,
            knownBrowser: "own-password|\(person.team.id)|\(person.subject)",
            at: context.clock()
        )
        return OwnPasswordRefusal(result, of: person.subject)
    }

    /// Of their own password, right or wrong: more than new ones are judged.
    static let ownPasswordTries = 30

    func answer(_ response: Response, _ refusal: OwnPasswordRefusal) -> Response {
        var response = response
        if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    func login(of person: Person) async throws -> String {
        guard person.team.hasDirectory else { throw Problem.notFound }
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

    /// Too many were tried, right or wrong.
    init(waiting wait: Duration) {
        let seconds = max(1, Int(wait.components.seconds))
        words = Phrase("shared.passwords.too-many", count: (seconds + 59) / 60)
        status = .tooManyRequests
        retryAfter = seconds
    }

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
