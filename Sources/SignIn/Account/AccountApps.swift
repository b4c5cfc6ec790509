import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform

/// Apps that use the account: *Stop using*, and mail forwarding by the relay.
struct AccountApps: Sendable {
    let steps: AccountSteps

    func askToStop(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        guard let granted = try await granted(app, person) else { throw UserFacingError.notFound }
        let page = StopUsingPage(
            frame: steps.frame(Message("hosted.app.stop-title", ["app": granted.name]), person), appName: granted.name,
            action: TeamRoutes.appEnd.link(person.team.id, app), formToken: steps.formToken(person),
            backURL: TeamRoutes.account.link(person.team.id))
        return steps.pages.respond(page)
    }

    /// Ends the consent and its tokens; has no effect if the consent has ended already.
    func stop(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        _ = try steps.form(of: person)
        try await steps.accounts.authorizationEnds.endConsent(
            by: steps.right(of: person), for: app, in: person.team.id, as: person.actor,
            from: person.request.auditOrigin)
        return steps.home(person, .stopped)
    }

    func switchRelay(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        let forwards = try steps.form(of: person)["relay"] == "on"
        let outcome = try await steps.accounts.relays.set(
            forwards, by: steps.right(of: person), for: app, in: person.team.id, as: person.actor,
            from: person.request.auditOrigin)
        switch outcome {
        case .done: return steps.home(person, forwards ? .relayOn : .relayOff)
        case .unknown: throw UserFacingError.notFound
        }
    }

    private func granted(_ app: ClientID, _ person: SignedInUser) async throws -> GrantedApp? {
        let detail = try await steps.accounts.details.find(person.subject, in: person.team.id, at: steps.server.clock())
        return detail?.consents.first { $0.consent.appID == app }
    }
}
