import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform

/// What the pages of an account share: the signed-in user of a request, the limits of forms, and recent proofs.
struct AccountSteps: Sendable {
    let pages: HostedPages
    let factors: SecondFactors
    let sessionIssuer: SessionIssuer
    let visits: Visits
    let sessions: SessionStore
    let accounts: AccountStores
    let database: TeamDatabase
    let mailer: AccountMailer
    let server: ServerContext

    var site: Site { pages.site }

    /// Handler that runs `body` for the signed-in user; see `run`.
    func asPerson(ending: Bool = false, _ body: @escaping @Sendable (SignedInUser) async throws -> Response)
        -> @Sendable (Request, TeamID) async throws -> Response
    { { request, team in try await run(request, team, ending: ending, body) } }

    /// Handler of an address that names something of the user.
    func asPerson<ID: Sendable>(
        ending: Bool = false, _ body: @escaping @Sendable (SignedInUser, ID) async throws -> Response
    ) -> @Sendable (Request, TeamID, ID) async throws -> Response {
        { request, team, id in try await run(request, team, ending: ending) { try await body($0, id) } }
    }

    /// Runs `body` for the signed-in user; without a session, redirects to a sign-in that leads back to the page.
    ///
    /// - Parameter ending: whether the form only ends sessions, or deletes the account.
    /// - Throws: `UserFacingError` if the user has sent too many forms, and the errors of `body`.
    private func run(
        _ request: Request, _ teamID: TeamID, ending: Bool, _ body: (SignedInUser) async throws -> Response
    ) async throws -> Response {
        let visit = try await visits.read(request, at: teamID)
        guard let session = visit.session else {
            let asked = request.method == .get ? request.path : TeamRoutes.account.link(teamID)
            let next = PercentCoding.encode(asked)
            let signIn = "\(TeamRoutes.session.link(teamID))?next=\(next)"
            return .redirect(to: site.link(to: signIn, for: request))
        }
        let person = SignedInUser(visit: visit, session: session)
        if request.method == .post {
            // Checked before counting, so that forged cross-site requests do not use up the user's limit.
            try site.checkOrigin(of: request)
            // A form that only ends something counts for its session, so that no other session of the user, which may
            // be stolen, keeps the user from ending it.
            let key = ending ? LimitKey.session(session.id.text) : .account(person.subject)
            try await database.count([RateLimit.Use(.changes, by: key)], in: teamID, at: server.clock())
        }
        do { return try await body(person) } catch is SessionRight.Ended {
            return .redirect(to: TeamRoutes.account.link(teamID))
        }
    }

    /// Right of the user, by this session, to change their own data.
    func right(of person: SignedInUser) -> SessionRight {
        SessionRight(person.session, in: person.team.id, clock: server.clock)
    }

    /// Right of the user, by this session, to make changes that require a recent proof.
    func freshRight(of person: SignedInUser) -> SessionRight {
        SessionRight(person.session, in: person.team.id, provedWithin: Self.proofLife, clock: server.clock)
    }

    /// The same to change factors, which requires the proof of one if the user has any.
    func factorRight(of person: SignedInUser) -> SessionRight {
        SessionRight(
            person.session, in: person.team.id, provedWithin: Self.proofLife, isOverFactors: true, clock: server.clock)
    }

    /// Fields of a form that was served to this browser for this user.
    ///
    /// - Throws: `UserFacingError`; `SessionRight.Ended` for a form of another user, who was signed in in this browser
    ///   before.
    func form(of person: SignedInUser) throws -> Form {
        let browser = person.visit.browser
        let form = try site.form(of: person.request, from: browser)
        guard site.formTokens.isValid(form["csrf"], for: browser, showing: person.sheet) else {
            throw SessionRight.Ended()
        }
        return form
    }

    /// A form that leads back to the account page.
    func form(_ title: Message, to action: String, for person: SignedInUser) -> HostedForm {
        HostedForm(
            frame: frame(title, person), action: action, token: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id))
    }

    /// Redirects to the account page, which shows the result.
    func home(_ person: SignedInUser, _ change: AccountChange) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(person.team.id))
        response.set(change.cookie(site.cookies, of: person.team.id))
        return response
    }

    func frame(_ title: Message, _ person: SignedInUser) -> HostedFrame {
        pages.frame(title, of: person.team, in: person.language)
    }

    func formToken(_ person: SignedInUser) -> String {
        site.formTokens.token(for: person.visit.browser, showing: person.sheet)
    }
}

// Recent proofs, which changes of sign-in methods require, and the current password.
extension AccountSteps {
    /// Runs `body` if the user's latest proof is recent; otherwise redirects to a proof that leads back to `page`.
    ///
    /// - Parameter overFactors: whether factors change, before which one of the user's is asked for.
    func freshly(_ person: SignedInUser, page: String, overFactors: Bool = false, _ body: () async throws -> Response)
        async throws -> Response
    {
        let isRecent = server.clock() - person.session.provedAt <= Self.proofLife
        if isRecent, !overFactors || person.session.hasProvedFactor { return try await body() }
        let next = PercentCoding.encode(page)
        return .redirect(to: "\(TeamRoutes.proof.link(person.team.id))?next=\(next)")
    }

    /// Greatest age of a recent proof.
    static var proofLife: Duration { .seconds(600) }

    /// Mailer that reports changed factors to the user, because another person may have made the change.
    func factorPost(_ person: SignedInUser) -> FactorMailer { FactorMailer(mailer, in: person.language) }

    func stepUp(_ person: SignedInUser, by kind: FactorKind?) async throws -> SetCookie? {
        guard let token = person.visit.sessionToken else { return nil }
        return try await sessionIssuer.stepUp(token, by: kind, in: person.team.id)
    }

    /// Verifies the current password of a signed-in user; nil if it is correct.
    ///
    /// Tries have a counter apart from sign-ins, so that an attacker who locks the account does not keep the user out.
    /// It belongs to the user and not to the browser, whose cookie the sender chooses: a stolen session could send a
    /// new cookie for every ten guesses.
    func refusal(of password: String, _ login: String, _ person: SignedInUser) async throws -> OwnPasswordRefusal? {
        let result = try await accounts.signIn.authenticate(
            login: login, password: password, in: person.team.id, from: person.visit.origin,
            knownBrowser: { _ in "own-password|\(person.team.id)|\(person.subject)" }, at: server.clock())
        return OwnPasswordRefusal(result, of: person.subject)
    }

    func login(of person: SignedInUser) async throws -> String {
        guard person.team.hasDirectory else { throw UserFacingError.notFound }
        let detail = try await accounts.details.find(person.subject, in: person.team.id, at: server.clock())
        guard let detail, detail.hasPassword, let login = detail.logins.first else { throw UserFacingError.notFound }
        return login.rawValue
    }
}

/// Stores and services behind the account pages.
struct AccountStores: Sendable {
    let details: UserDetailStore
    let authorizationEnds: AuthorizationEndStore
    let relays: RelaySwitchStore
    let passwords: PasswordStore
    let signIn: PasswordSignIn
    let hasher: PasswordHasher
    let newPasswords: NewPasswords
    let emailChanges: EmailChange
    let deletions: AccountDeletion
    let exports: PersonExportStore
    let identities: UpstreamIdentityListStore
    let linkEnds: UpstreamUnlinkStore

    init(
        _ database: TeamDatabase, server: ServerContext, signIn: PasswordSignIn, hasher: PasswordHasher,
        newPasswords: NewPasswords, emailChanges: EmailChange
    ) {
        details = UserDetailStore(database)
        authorizationEnds = AuthorizationEndStore(database)
        relays = RelaySwitchStore(database)
        passwords = PasswordStore(database)
        self.signIn = signIn
        self.hasher = hasher
        self.newPasswords = newPasswords
        self.emailChanges = emailChanges
        deletions = AccountDeletion(database, random: server.random)
        exports = PersonExportStore(database)
        identities = UpstreamIdentityListStore(database)
        linkEnds = UpstreamUnlinkStore(database)
    }
}
