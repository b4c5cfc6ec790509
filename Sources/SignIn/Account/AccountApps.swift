import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Apps that use the account: *Stop using*, and mail forwarding by the relay.
struct AccountApps: Sendable {
    let steps: AccountSteps

    func askToStop(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        guard let granted = try await granted(app, person) else { throw UserFacingError.notFound }
        let page = StopUsingPage(
            form: steps.form(
                Message("hosted.app.stop-title", ["app": granted.name]),
                to: TeamRoutes.appEnd.link(person.team.id, app), for: person), appName: granted.name)
        return steps.pages.respond(page)
    }

    /// Ends the consent and its tokens; has no effect if the consent has ended already.
    func stop(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        _ = try steps.form(of: person)
        try await steps.accounts.authorizationEnds.endConsent(
            by: steps.right(of: person), for: app, in: person.team.id, as: person.actor, from: person.visit.origin)
        return steps.home(person, .stopped)
    }

    func switchRelay(_ person: SignedInUser, _ app: ClientID) async throws -> Response {
        let forwards = try steps.form(of: person)["relay"] == "on"
        let outcome = try await steps.accounts.relays.set(
            forwards, by: steps.right(of: person), for: app, in: person.team.id, as: person.actor,
            from: person.visit.origin)
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

/// Confirmation of *Stop using*.
struct StopUsingPage: FormPage {
    static let template = "hosted/account-stop"
    static let fields = formFields.with { $0.text("appName") { $0.appName } }

    let form: HostedForm
    let appName: String
}

/// App that uses the account.
struct AppRow: Sendable {
    let team: TeamID
    let app: GrantedApp
    /// Address that the app receives in place of the user's own.
    let relayAddress: String?

    static let fields = Fields<AppRow> {
        $0.text("name") { $0.app.name }
        $0.words("since") { Message("hosted.account.since", ["when": $0.app.consent.grantedAt]) }
        $0.words("knows") { $0.knows }
        $0.optionalWords("relay") { $0.relay }
        $0.text("relayURL") { TeamRoutes.appRelay.link($0.team, $0.app.consent.appID) }
        $0.text("relayValue") { $0.app.consent.forwardsMail ? "off" : "on" }
        $0.words("relayButton") {
            $0.app.consent.forwardsMail ? Message("hosted.account.relay-stop") : Message("hosted.account.relay-start")
        }
        $0.text("stopURL") { TeamRoutes.appEnd.link($0.team, $0.app.consent.appID) }
    }

    private var knows: any LocalizedTextConvertible {
        if let given = app.consent.upstreamEmail, given.isPrivate, app.consent.email == .shared {
            return Message("hosted.account.gets-relay", ["address": given.address.rawValue])
        }
        return switch (app.consent.name != nil, app.consent.email) {
        case (false, .withheld): Message("hosted.account.gets-nothing")
        case (true, .withheld): Message("hosted.account.gets-name")
        case (false, .shared): Message("hosted.account.gets-email")
        case (true, .shared): Message("hosted.account.gets-both")
        case (_, .hidden): Message("hosted.account.gets-relay", ["address": relayAddress ?? ""])
        }
    }

    private var relay: Message? {
        guard app.consent.email == .hidden else { return nil }
        return app.consent.forwardsMail ? Message("hosted.account.relay-on") : Message("hosted.account.relay-off")
    }
}
