import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform

// Recent proofs, which changes of sign-in methods require, and the current password.
extension AccountSteps {
    /// Runs `body` if the user's latest proof is recent; otherwise redirects to a proof that leads back to `page`.
    func freshly(_ person: SignedInUser, page: String, _ body: () async throws -> Response) async throws -> Response {
        if server.clock() - person.session.provedAt <= Self.proofLife { return try await body() }
        let next = PercentCoding.encode(page)
        return .redirect(to: "\(TeamRoutes.proof.link(person.team.id))?next=\(next)")
    }

    /// Greatest age of a recent proof.
    static var proofLife: Duration { .seconds(600) }

    /// Mailer that reports changed factors to the user, because another person may have made the change.
    func factorPost(_ person: SignedInUser) -> FactorMailer { FactorMailer(mailer, in: person.language) }

    func stepUp(_ person: SignedInUser, by kind: FactorKind?) async throws -> SetCookie? {
        guard let token = person.browserContext.sessionToken else { return nil }
        return try await sessionIssuer.stepUp(token, by: kind, in: person.team.id)
    }

    /// Verifies the current password of a signed-in user; nil if it is correct.
    ///
    /// Tries have a counter apart from sign-ins, so that an attacker who locks the account does not keep the user out.
    /// It belongs to the user and not to the browser, whose cookie the sender chooses: a stolen session could send a
    /// new cookie for every ten guesses.
    func refusal(of password: String, _ login: String, _ person: SignedInUser) async throws -> OwnPasswordRefusal? {
        let result = try await accounts.signIn.authenticate(
            login: login, password: password, in: person.team.id, from: person.request.auditOrigin,
            knownBrowser: "own-password|\(person.team.id)|\(person.subject)", at: server.clock())
        return OwnPasswordRefusal(result, of: person.subject)
    }

    func answer(_ response: Response, _ refusal: OwnPasswordRefusal) -> Response {
        var response = response
        if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    func login(of person: SignedInUser) async throws -> String {
        guard person.team.hasDirectory else { throw UserFacingError.notFound }
        let detail = try await accounts.details.find(person.subject, in: person.team.id, at: server.clock())
        guard let detail, detail.hasPassword, let login = detail.logins.first else { throw UserFacingError.notFound }
        return login.rawValue
    }
}

/// Reason why the user's current password was rejected.
struct OwnPasswordRefusal: Sendable {
    let words: Message
    let status: Status
    let retryAfter: Int?

    /// Returns nil if the password is correct and belongs to the user.
    init?(_ result: SignInResult, of subject: Subject) {
        if case .success(let user) = result, user.subject == subject { return nil }
        let refusal = SignInRefusal(result)
        let isWrong = refusal.retryAfter == nil
        words = isWrong ? Message("hosted.password.wrong") : refusal.words
        status = isWrong ? .unprocessableContent : refusal.status
        retryAfter = refusal.retryAfter
    }
}
