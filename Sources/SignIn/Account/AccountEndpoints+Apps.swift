import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Apps that use the account: *Stop using*, and mail through the relay.
extension AccountEndpoints {
    func askToStop(_ person: Person, _ app: ClientID) async throws -> Response {
        guard let granted = try await granted(app, person) else { throw Problem.notFound }
        let page = StopUsingPage(
            frame: frame(Phrase("hosted.app.stop-title", ["app": granted.name]), person),
            appName: granted.name,
            action: TeamRoutes.appEnd.link(person.team.id, app),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id)
        )
        return pages.respond(page)
    }

    /// Ends the consent with its tokens; one that is over already needs no ending.
    func stop(_ person: Person, _ app: ClientID) async throws -> Response {
        _ = try form(of: person)
        try await accounts.consentEnds.end(
            by: right(of: person),
            for: app,
            in: person.team.id,
            as: person.actor,
            from: person.request.auditOrigin
        )
        return home(person, .stopped)
    }

    func switchRelay(_ person: Person, _ app: ClientID) async throws -> Response {
        let forwards = try form(of: person)["relay"] == "on"
        let now = context.clock()
        let outcome = try await accounts.relays.set(
            forwards,
            by: right(of: person),
            for: app,
            in: person.team.id,
            as: person.actor,
            from: person.request.auditOrigin,
            at: now
        )
        switch outcome {
        case .done: return home(person, forwards ? .relayOn : .relayOff)
        case .unknown: throw Problem.notFound
        case .limited(let wait): throw Problem.tooOften(until: now + wait, wait)
        }
    }

    private func granted(_ app: ClientID, _ person: Person) async throws -> GrantedApp? {
        let detail = try await accounts.details.find(
            person.subject,
            in: person.team.id,
            at: context.clock()
        )
        return detail?.consents.first { $0.consent.appID == app }
    }
}
