import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

/// A person's own pages at a team.
struct AccountEndpoints: Sendable {
    let pages: HostedPages
    let factorPages: FactorPages
    let factors: SecondFactors
    let door: SessionDoor
    let teams: TeamCache
    let sessions: SessionStore
    let accounts: AccountStores
    let linking: ProviderLinking
    let limits: AttemptLimits
    let counts: LimitStore
    let post: AccountPost
    let context: EngineContext

    var site: Site { pages.site }

    func mount(on router: inout Router) {
        router.get(TeamRoutes.account) { request, team in
            try await asPerson(request, team) { try await show($0) }
        }
        mountFactors(on: &router)
        mountApple(on: &router)
        router.post(TeamRoutes.sessionEnd, .form) { try await signOut($0, $1) }
        router.get(TeamRoutes.appEnd) { request, team, app in
            try await asPerson(request, team) { try await askToStop($0, app) }
        }
        router.post(TeamRoutes.appEnd, .form) { request, team, app in
            try await asPerson(request, team) { try await stop($0, app) }
        }
        router.post(TeamRoutes.appRelay, .form) { request, team, app in
            try await asPerson(request, team) { try await switchRelay($0, app) }
        }
        router.post(TeamRoutes.oneSession, .form) { request, team, id in
            try await asPerson(request, team, ending: true) { try await end(id, $0) }
        }
        router.post(TeamRoutes.otherSessions, .form) { request, team in
            try await asPerson(request, team, ending: true) { try await endOthers($0) }
        }
        router.get(TeamRoutes.ownPassword) { request, team in
            try await asPerson(request, team) { try await askPassword($0) }
        }
        router.post(TeamRoutes.ownPassword, .form) { request, team in
            try await asPerson(request, team) { try await changePassword($0) }
        }
        router.get(TeamRoutes.ownEmail) { request, team in
            try await asPerson(request, team) { try await askEmail($0) }
        }
        router.post(TeamRoutes.ownEmail, .form) { request, team in
            try await asPerson(request, team) { try await changeEmail($0) }
        }
        router.get(TeamRoutes.ownData) { request, team in
            try await asPerson(request, team) { try await askToDownload($0) }
        }
        router.post(TeamRoutes.ownData, .form) { request, team in
            try await asPerson(request, team) { try await download($0) }
        }
        router.get(TeamRoutes.deletion) { request, team in
            try await asPerson(request, team) { try await askToDelete($0) }
        }
        router.post(TeamRoutes.deletion, .form) { request, team in
            try await asPerson(request, team, ending: true) { try await delete($0) }
        }
    }

    /// A person on pages of their own.
    struct Person: Sendable {
        let request: Request
        let team: TeamSnapshot
        let visitor: Visitor
        let session: Session
        let language: Language

        var subject: Subject { session.user.subject }

        /// What the forms of their pages show, wherever they lead.
        fileprivate var sheet: String { "account \(team.id) \(subject)" }

        /// Who acts, as the audit log names them.
        var actor: Actor { team.id == .system ? .member(subject) : .person(subject) }
    }

    /// Lets a person in; a stranger signs in first and comes back to the page.
    ///
    /// - Parameter ending: that the form only ends sessions, or all there is of the person.
    /// - Throws: `Problem` for one form too many, and what `body` throws.
    func asPerson(
        _ request: Request,
        _ teamID: TeamID,
        ending: Bool = false,
        _ body: (Person) async throws -> Response
    ) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        guard let session = visitor.session else {
            let asked = request.method == .get ? request.path : TeamRoutes.account.link(teamID)
            let next = PercentCoding.encode(asked)
            return .redirect(to: "\(TeamRoutes.session.link(teamID))?next=\(next)")
        }
        let person = Person(
            request: request,
            team: team,
            visitor: visitor,
            session: session,
            language: request.language
        )
        if request.method == .post {
            // What another site sends in somebody's name uses up none of their forms.
            try site.checkOrigin(of: request)
            try await count(person, ending: ending)
        }
        do {
            return try await body(person)
        } catch is SessionRight.Over {
            return .redirect(to: TeamRoutes.account.link(teamID))
        }
    }

    /// Counts a form of theirs.
    ///
    /// What only ends sessions has no count by the day: each is counted where it begins, and whoever got hold of one
    /// could else keep the person from ending it.
    private func count(_ person: Person, ending: Bool) async throws {
        let (team, now) = (person.team.id, context.clock())
        let isAdmitted = try await limits.admit(
            formOf: person.subject,
            team: team,
            counting: counts,
            at: now
        )
        guard isAdmitted else { throw Problem.tooManyForms }
        guard !ending else { return }
        let wait = try await AccountFormLimit(counts).charge(
            person.subject,
            at: person.request.client,
            in: team,
            at: now
        )
        if let wait { throw Problem.tooOften(until: now + wait, wait) }
    }

    /// By what a person changes something of theirs.
    func right(of person: Person) -> SessionRight {
        SessionRight(person.session, in: person.team.id, clock: context.clock)
    }

    /// The same, for what asks for a recent proof.
    func freshRight(of person: Person) -> SessionRight {
        SessionRight(
            person.session,
            in: person.team.id,
            provedWithin: Self.proofLife,
            clock: context.clock
        )
    }

    /// The fields of a form that a page of ours sent to this browser, for this person.
    ///
    /// - Throws: `Problem`; `SessionRight.Over` for a page of somebody else, who was signed in in this browser before.
    func form(of person: Person) throws -> Form {
        let browser = person.visitor.browser
        let form = try site.form(of: person.request, from: browser)
        guard site.formTokens.isValid(form["csrf"], for: browser, showing: person.sheet) else {
            throw SessionRight.Over()
        }
        return form
    }

    /// Back to the person's page, which says what was done.
    func home(_ person: Person, _ change: AccountChange) -> Response {
        var response = Response.redirect(to: TeamRoutes.account.link(person.team.id))
        response.set(change.cookie(site.cookies, of: person.team.id))
        return response
    }

    func frame(_ title: Phrase, _ person: Person) -> HostedFrame {
        pages.frame(title, of: person.team, in: person.language)
    }

    func formToken(_ person: Person) -> String {
        site.formTokens.token(for: person.visitor.browser, showing: person.sheet)
    }

    private func signOut(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let (team, visitor) = try await arrive(request, teamID)
        _ = try site.form(of: request, from: visitor.browser)
        if let session = visitor.session ?? visitor.lesserSession {
            let subject = session.user.subject
            try await sessions.end(
                session.id,
                of: subject,
                in: teamID,
                by: teamID == .system ? .member(subject) : .person(subject),
                from: request.auditOrigin
            )
        }
        let page = SignedOutPage(
            frame: pages.frame(Phrase("hosted.signed-out.title"), of: team, in: request.language),
            signInURL: teamID == .system ? "/console" : TeamRoutes.session.link(teamID)
        )
        var response = pages.respond(page)
        response.set(site.cookies.forgotten(site.cookies.session(of: teamID)))
        return response
    }

    private func arrive(_ request: Request, _ teamID: TeamID) async throws -> (TeamSnapshot, Visitor) {
        guard let team = try await teams.snapshot(of: teamID) else { throw Problem.notFound }
        let visitor = try await Visitor.read(
            request,
            team: team,
            cookies: site.cookies,
            sessions: sessions,
            gate: factors.gate,
            context: context
        )
        return (team, visitor)
    }
}

extension Problem {
    static let tooManyForms = Problem(
        .tooManyRequests,
        Phrase("hosted.problems.too-many-forms.headline"),
        Phrase("hosted.problems.too-many-forms.message"),
        advice: Phrase("hosted.problems.too-many-forms.advice"),
        retryAfter: 60
    )
}
