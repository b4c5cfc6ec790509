import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The page itself, and the sessions on it.
extension AccountEndpoints {
    func show(_ person: Person) async throws -> Response {
        let (team, user) = (person.team.id, person.session.user)
        guard let detail = try await accounts.details.find(person.subject, in: team, at: context.clock())
        else {
            throw Problem.notFound
        }
        let cookie = AccountChange.cookieName(site.cookies, of: team)
        let done = person.request.cookies[cookie].flatMap(AccountChange.init(rawValue:))
        let page = AccountPage(
            frame: frame(Phrase("hosted.account.title"), person),
            team: team,
            person: PersonView(name: user.name.full, email: user.email?.rawValue),
            formToken: formToken(person),
            done: done,
            hasPassword: detail.hasPassword && person.team.hasDirectory,
            factors: try await factorSection(person),
            apple: try await appleSection(person),
            apps: detail.consents.map {
                AppRow(team: team, app: $0, relayAddress: detail.user.relayAddress?.rawValue)
            },
            sessions: detail.sessions.map {
                SessionRow(team: team, session: $0, isCurrent: $0.id == person.session.id)
            }
        )
        var response = pages.respond(page)
        if done != nil { response.set(site.cookies.forgotten(cookie)) }
        return response
    }

    func end(_ id: SessionID, _ person: Person) async throws -> Response {
        _ = try form(of: person)
        try await sessions.end(
            id,
            of: person.subject,
            in: person.team.id,
            by: person.actor,
            with: right(of: person),
            from: person.request.auditOrigin
        )
        return home(person, .sessionEnded)
    }

    func endOthers(_ person: Person) async throws -> Response {
        _ = try form(of: person)
        try await sessions.endAll(
            of: person.subject,
            except: person.session.id,
            in: person.team.id,
            by: person.actor,
            with: right(of: person),
            from: person.request.auditOrigin
        )
        return home(person, .sessionsEnded)
    }
}
