import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// The account page, its list of sessions, and the sign-out.
struct AccountHome: Sendable {
    let steps: AccountSteps
    let factors: AccountFactors
    let apple: LinkedApple

    func show(_ person: SignedInUser) async throws -> Response {
        let (team, user) = (person.team.id, person.session.user)
        guard let detail = try await steps.accounts.details.find(person.subject, in: team, at: steps.server.clock())
        else { throw UserFacingError.notFound }
        let cookie = AccountChange.cookieName(steps.site.cookies, of: team)
        let done = person.request.cookies[cookie].flatMap(AccountChange.init(rawValue:))
        let page = AccountPage(
            frame: steps.frame(Message("hosted.account.title"), person), team: team,
            person: PersonView(name: user.name.full, email: user.email?.shown), formToken: steps.formToken(person),
            done: done, hasPassword: detail.hasPassword && person.team.hasDirectory,
            factors: try await factors.factorSection(person), apple: try await apple.appleSection(person),
            apps: detail.consents.map { AppRow(team: team, app: $0, relayAddress: detail.user.relayAddress?.rawValue) },
            sessions: detail.sessions.map { SessionRow(team: team, session: $0, isCurrent: $0.id == person.session.id) }
        )
        var response = steps.pages.respond(page)
        if done != nil { response.set(steps.site.cookies.forgotten(cookie)) }
        return response
    }

    func end(_ person: SignedInUser, _ id: SessionID) async throws -> Response {
        _ = try steps.form(of: person)
        try await steps.sessions.end(
            id, of: person.subject, in: person.team.id, by: person.actor, with: steps.right(of: person),
            from: person.visit.origin)
        return steps.home(person, .sessionEnded)
    }

    func endOthers(_ person: SignedInUser) async throws -> Response {
        _ = try steps.form(of: person)
        try await steps.sessions.endAll(
            of: person.subject, except: person.session.id, in: person.team.id, by: person.actor,
            with: steps.right(of: person), from: person.visit.origin)
        return steps.home(person, .sessionsEnded)
    }

    func signOut(_ request: Request, _ teamID: TeamID) async throws -> Response {
        let visit = try await steps.visits.read(request, at: teamID)
        _ = try steps.site.form(of: request, from: visit.browser)
        if let session = visit.session ?? visit.lesserSession {
            let subject = session.user.subject
            try await steps.sessions.end(
                session.id, of: subject, in: teamID, by: teamID == .system ? .member(subject) : .person(subject),
                from: request.auditOrigin)
        }
        let page = SignedOutPage(
            frame: steps.pages.frame(Message("hosted.signed-out.title"), of: visit.team, in: request.language),
            signInURL: teamID == .system ? "/console" : TeamRoutes.session.link(teamID))
        var response = steps.pages.respond(page)
        response.set(steps.site.cookies.forgotten(steps.site.cookies.session(of: teamID)))
        return response
    }
}

/// Page after a session has ended.
struct SignedOutPage: FramedPage {
    static let template = "hosted/signed-out"
    static let fields = frameFields.with { $0.optionalText("signInURL") { $0.signInURL } }

    let frame: HostedFrame
    let signInURL: String?
}
