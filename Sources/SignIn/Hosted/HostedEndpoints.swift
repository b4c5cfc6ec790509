import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Log
import Templates
import Web

/// The hosted pages of a team's sign-in.
struct HostedEndpoints: Sendable {
    let pages: HostedPages
    let factorPages: FactorPages
    let factors: SecondFactors
    let teams: TeamCache
    let authorization: Authorization
    let flow: SignInFlow
    let apple: ProviderSignIn
    let flows: FlowRecorder
    let door: SessionDoor
    let sessions: SessionStore
    let newPasswords: NewPasswords
    let registrations: AccountRegistrations
    let invitedRegistrations: InvitedRegistrations
    let recovery: PasswordRecovery
    let mailedSignIns: MailedSignIn
    let emailChanges: EmailChange
    let post: AccountPost
    let notice: NewBrowserNotice
    let limits: AttemptLimits
    let counts: LimitStore
    let engine: EngineContext

    var site: Site { pages.site }

    func mount(on router: inout Router) {
        router.get(TeamRoutes.authorize) { request, team in
            try await authorize(request, team) { try request.query(maximumFields: 64).fields }
        }
        router.post(TeamRoutes.authorize, Self.authorizeOptions) { request, team in
            try await authorize(request, team) { try request.form(maximumFields: 64).fields }
        }
        router.get(TeamRoutes.attempt) { request, team, attempt in
            try await step(request, team, attempt) { try await dispatch($0) }
        }
        router.post(TeamRoutes.password, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await provePassword($0) }
        }
        router.post(TeamRoutes.consent, .form) { request, team, attempt in
            try await step(request, team, attempt) { try await consent($0) }
        }
        router.post(TeamRoutes.confirmation, .form) { request, team, attempt in
            try await step(request, team, attempt) { try await confirm($0) }
        }
        router.get(TeamRoutes.registration) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try askToRegister($0) }
        }
        router.post(TeamRoutes.registration, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await register($0) }
        }
        router.get(TeamRoutes.recovery) { request, team, attempt in
            try await directoryStep(request, team, attempt) { askToRecover($0) }
        }
        router.post(TeamRoutes.recovery, .form) { request, team, attempt in
            try await directoryStep(request, team, attempt) { try await recover($0) }
        }
        mountProvider(on: &router)
        mountLinks(on: &router)
        mountFactors(on: &router)
        router.get(TeamRoutes.session) { request, team in try await beginAccount(request, team) }
    }

    private func mountLinks(on router: inout Router) {
        router.get(TeamRoutes.registrationLink) { request, team, token in
            try await follow(request, team, token) { try await showRegistrationLink($0) }
        }
        router.post(TeamRoutes.registrationLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followRegistrationLink($0) }
        }
        router.get(TeamRoutes.passwordLink) { request, team, token in
            try await follow(request, team, token) { try await showPasswordLink($0) }
        }
        router.post(TeamRoutes.passwordLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followPasswordLink($0) }
        }
        router.get(TeamRoutes.emailLink) { request, team, token in
            try await follow(request, team, token) { try await showEmailLink($0) }
        }
        router.post(TeamRoutes.emailLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followEmailLink($0) }
        }
        router.get(TeamRoutes.signInLink) { request, team, token in
            try await follow(request, team, token) { try await showSignInLink($0) }
        }
        router.post(TeamRoutes.signInLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followSignInLink($0) }
        }
        router.get(TeamRoutes.invitationLink) { request, team, token in
            try await follow(request, team, token) { try await showInvitationLink($0) }
        }
        router.post(TeamRoutes.invitationLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followInvitationLink($0) }
        }
    }

    /// A request within a sign-in: the team, the attempt, and the browser that began it.
    struct Context: Sendable {
        let request: Request
        let team: TeamSnapshot
        var attempt: Attempt
        /// The app the sign-in leads back to; nil where it leads to a page of ours.
        let client: Client?
        let visitor: Visitor

        /// The session that skips the proof: not one that began at Apple where an app waits, since Apple asks anew each
        /// time, on its own sheet; nor any where the team's people are asked at Apple alone.
        var session: Session? {
            let isOfDirectory = team.hasDirectory && visitor.session?.firstFactor != .apple
            return attempt.app == nil || isOfDirectory ? visitor.session : nil
        }

        /// The language the sign-in was begun in.
        var language: Language {
            attempt.language.flatMap(Language.init(rawValue:)) ?? request.language
        }
    }

    /// Finds what a step needs and checks that it comes from the browser that began: the address alone is worth
    /// nothing.
    func step(
        _ request: Request,
        _ teamID: TeamID,
        _ id: AttemptID,
        _ body: (Context) async throws -> Response
    ) async throws -> Response {
        guard let team = try await teams.snapshot(of: teamID) else { throw Problem.notFound }
        let visitor = try await visitor(request, team)
        guard !visitor.isNewBrowser, let context = try await context(of: id, request, team, visitor) else {
            return over(request, team)
        }
        return try await body(context)
    }

    /// A sign-in of that browser under way; nil when it is over, or may not lead to its app any more.
    func context(
        of id: AttemptID,
        _ request: Request,
        _ team: TeamSnapshot,
        _ visitor: Visitor
    ) async throws -> Context? {
        guard let attempt = try await flow.find(id, browserHash: visitor.browserHash, in: team.id) else {
            return nil
        }
        let client = attempt.app.flatMap { team.client($0.clientID) }
        guard team.admits(attempt) else { return nil }
        return Context(request: request, team: team, attempt: attempt, client: client, visitor: visitor)
    }

    /// The same for a step of a team whose people prove who they are on pages of ours.
    func directoryStep(
        _ request: Request,
        _ team: TeamID,
        _ id: AttemptID,
        _ body: (Context) async throws -> Response
    ) async throws -> Response {
        try await step(request, team, id) { context in
            guard context.team.hasDirectory else { throw Problem.notFound }
            return try await body(context)
        }
    }

    /// What an app asks with fits into a few KiB, and so into what is kept for short bodies.
    private static let authorizeOptions = RouteOptions(bodyLimit: 16 * 1024, contentTypes: [.form])

    /// Counts the beginning of a sign-in.
    ///
    /// - Parameter octets: of the sender's that are kept for it.
    func admit(_ request: Request, _ team: TeamID, keeping octets: Int = 0) async throws {
        let isAdmitted = try await limits.admit(
            request.client,
            octets: octets,
            team: team,
            counting: counts,
            at: engine.clock()
        )
        guard isAdmitted else { throw Problem.tooManySignIns }
    }

    /// Counts what is sent for a sign-in that was counted when it began, to who sends it.
    func admitSending(_ octets: Int, _ request: Request, _ team: TeamID) async throws {
        let isAdmitted = try await limits.admit(
            octets: octets,
            from: request.client,
            team: team,
            counting: counts,
            at: engine.clock()
        )
        guard isAdmitted else { throw Problem.tooManySignIns }
    }

    func over(_ request: Request, _ team: TeamSnapshot) -> Response {
        flows.refuseOver(in: team.id, from: request.auditOrigin)
        return pages.respond(.attemptOver, to: request, of: team)
    }

    func visitor(_ request: Request, _ team: TeamSnapshot) async throws -> Visitor {
        try await Visitor.read(
            request,
            team: team,
            cookies: site.cookies,
            sessions: sessions,
            gate: factors.gate,
            context: engine
        )
    }

    /// The fields of a form that a page of ours sent to this browser.
    func form(of context: Context) throws(Problem) -> Form {
        try site.form(of: context.request, from: context.visitor.browser)
    }
}

extension Problem {
    /// The attempt is unknown, over, or another browser's.
    static let attemptOver = Problem(
        .gone,
        Phrase("hosted.problems.attempt-over.headline"),
        Phrase("hosted.problems.attempt-over.message"),
        advice: Phrase("hosted.problems.attempt-over.advice")
    )
}
