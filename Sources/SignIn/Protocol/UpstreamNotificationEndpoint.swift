import Accounts
import Core
import Federation
import HTTP
import OAuth
import Platform

/// Endpoint for providers' server-to-server notifications, which have no cookies and no form token.
struct UpstreamNotificationEndpoint: Sendable {
    /// Notifications are short, so longer bodies are rejected.
    private static let options = RouteOptions(bodyLimit: 16 * 1024)

    private let handler: ProtocolHandler
    private let apple: UpstreamNotifications

    init(_ services: Services, handler: ProtocolHandler) {
        self.handler = handler
        apple = UpstreamNotifications(
            services.apple, server: services.server, database: services.database, teams: services.teams,
            accounts: AccountDeletion(services.database, random: services.server.random))
    }

    func mount(on router: inout Router) {
        router.post(TeamRoutes.appleNotifications, Self.options) { request, team in try await receive(request, team) }
    }

    /// Stores a notification: 200 once it is stored; 400 if it can never be valid; 429 for too many that are not
    /// verified; 503 if it can neither be verified now nor stored.
    private func receive(_ request: Request, _ team: TeamID) async throws -> Response {
        let snapshot = try await handler.snapshot(team)
        do {
            let outcome = try await apple.receive(request.body, from: request.client.description, in: snapshot)
            handler.traces.refusals(
                .info, "upstream.notification", of: team.rawValue, for: outcome.rawValue, ("team", team.rawValue),
                ("reception", outcome.rawValue))
            return ProtocolAnswers.json([])
        } catch let refusal as TooManyRequests {
            handler.traces.refusals(
                .info, "upstream.notification", of: team.rawValue, for: "too-many", ("team", team.rawValue),
                ("reception", "too-many"))
            return ProtocolAnswers.problem(UserFacingError(refusal))
        } catch let failure as UpstreamFailure {
            // A body without a JWS is not from Apple; the check-up sends one.
            handler.traces.refusals(
                failure.cause == .upstreamMalformed ? .info : .warning, "upstream.notification_refused",
                of: team.rawValue, for: failure.cause.rawValue, ("request", request.id.description),
                ("team", team.rawValue), ("cause", failure.cause.rawValue), ("reason", failure.reason))
            guard failure.remedy != .again else { throw UserFacingError.unavailable }
            return ProtocolAnswers.refusal(.unreadable(failure.reason))
        }
    }
}
