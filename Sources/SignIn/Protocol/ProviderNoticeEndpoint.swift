import AuthEngine
import Domain
import HTTP
import Log
import Web

/// Where providers tell what happened to their people: a server's request, so without cookies, and no form of ours.
struct ProviderNoticeEndpoint: Sendable {
    /// Notices are short; whoever sends more is none of those who are heard here.
    private static let options = RouteOptions(bodyLimit: 16 * 1024)

    private let desk: ProtocolDesk
    private let apple: ProviderNotices

    init(_ parts: SignIn.Parts, desk: ProtocolDesk) {
        self.desk = desk
        apple = ProviderNotices(
            parts.apple,
            context: parts.context,
            database: parts.database,
            teams: parts.teams
        )
    }

    func mount(on router: inout Router) {
        router.post(TeamRoutes.appleNotices, Self.options) { request, team in
            try await receive(request, team)
        }
    }

    /// 200 once it is stored; 400 for what will never be good; 429 for too much of what is not proved; 503 for what neither
    /// can be verified now nor kept.
    private func receive(_ request: Request, _ team: TeamID) async throws -> Response {
        let snapshot = try await desk.snapshot(team)
        do {
            let reception = try await apple.receive(
                request.body,
                from: request.client.description,
                in: snapshot
            )
            desk.flows.refusals(
                .info,
                "provider.notice",
                of: team.rawValue,
                for: reception.name,
                ("team", team.rawValue),
                ("reception", reception.name)
            )
            if case .tooMany(let wait) = reception {
                var response = ProtocolAnswers.json([], status: .tooManyRequests)
                response.append(.retryAfter, String(max(1, wait.components.seconds)))
                return response
            }
            return ProtocolAnswers.json([])
        } catch let failure as ProviderFailure {
            desk.flows.refusals(
                .warning,
                "provider.notice_refused",
                of: team.rawValue,
                for: failure.cause.rawValue,
                ("request", request.id.description),
                ("team", team.rawValue),
                ("cause", failure.cause.rawValue),
                ("reason", failure.reason)
            )
            guard failure.remedy != .again else { throw Problem.unavailable }
            return ProtocolAnswers.refusal(
                .unreadable(failure.reason)
            )
        }
    }
}
