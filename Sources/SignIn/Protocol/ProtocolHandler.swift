import Core
import Federation
import HTTP
import OAuth
import Platform

/// Reads the requests of apps and turns every result into a response of the protocol.
struct ProtocolHandler: Sendable {
    /// Options of routes whose forms are read here.
    static let options = RouteOptions(bodyLimit: 16 * 1024)

    let teams: TeamCache
    let clients: ClientAuthenticator
    let traces: any TraceSink
    let log: Log

    /// The team; throws `UserFacingError.notFound` for the system team.
    ///
    /// - Parameter isCurrent: whether a change of the last second must be in it.
    func snapshot(_ team: TeamID, isCurrent: Bool = false) async throws -> TeamSnapshot {
        guard team != .system,
            let snapshot = try await isCurrent ? teams.currentSnapshot(of: team) : teams.snapshot(of: team)
        else { throw UserFacingError.notFound }
        return snapshot
    }

    /// The team if it is in memory and known to be current; nil for the system team.
    func known(_ team: TeamID) -> TeamSnapshot? { team == .system ? nil : teams.known(team) }

    /// Reads the form, has the endpoint respond to the client, and turns errors into responses.
    ///
    /// - Parameter isCurrent: whether a change of the last second to the team's registry must count.
    func answer(_ request: Request, _ team: TeamID, at endpoint: some ClientEndpoint, status: Status, isCurrent: Bool)
        async -> Response
    {
        do {
            let snapshot = try await snapshot(team, isCurrent: isCurrent)
            do {
                let body = try await clients.respond(
                    at: endpoint, to: try parameters(of: request), accessToken: BearerToken(request)?.text,
                    of: snapshot, from: request.auditOrigin)
                return ProtocolAnswers.json(body, status: status)
            } catch {
                note(error, request, snapshot)
                throw error
            }
        } catch let error as OAuthError {
            traces.refusals(
                .info, "protocol.refused", of: team.rawValue, for: error.cause.rawValue,
                ("request", request.id.description), ("team", team.rawValue), ("error", error.code.rawValue),
                ("reason", error.reason))
            return ProtocolAnswers.refusal(error)
        } catch let error as UpstreamFailure { return trouble(error, request, team) } catch {
            return failure(error, request, team)
        }
    }

    /// Records in the sign-in trace why a request was rejected; errors that the team cannot fix go to the log only.
    private func note(_ error: any Error, _ request: Request, _ team: TeamSnapshot) {
        let (kind, fields) = (Self.kind(of: request), Self.fields(of: request))
        switch error {
        case let error as OAuthError: traces.refuse(error, kind, of: fields, to: team, from: request.auditOrigin)
        case let error as UpstreamFailure: traces.refuse(error, kind, of: fields, to: team, from: request.auditOrigin)
        default: break
        }
    }

    /// Response to a failure at a provider: temporary if a retry helps, otherwise an OAuth error.
    private func trouble(_ failure: UpstreamFailure, _ request: Request, _ team: TeamID) -> Response {
        traces.refusals(
            .info, "upstream.failed", of: team.rawValue, for: failure.cause.rawValue,
            ("request", request.id.description), ("team", team.rawValue), ("cause", failure.cause.rawValue),
            ("reason", failure.reason))
        guard failure.remedy != .again else { return ProtocolAnswers.problem(.appleLater(failure)) }
        return ProtocolAnswers.refusal(OAuthError(failure))
    }

    /// Runs `body` with the token of the `Authorization` field; `body` returns nil for an invalid token.
    func answer(bearerOf request: Request, _ team: TeamID, _ body: (String, TeamSnapshot) async throws -> Response?)
        async -> Response
    {
        do {
            let snapshot = try await snapshot(team)
            guard let token = BearerToken(request) else { return ProtocolAnswers.bearerWanted(isInvalid: false) }
            return try await body(token.text, snapshot) ?? ProtocolAnswers.bearerWanted(isInvalid: true)
        } catch { return failure(error, request, team) }
    }

    /// Trace event of a rejected request at this address.
    private static func kind(of request: Request) -> TraceEvent.Kind {
        switch request.routePattern {
        case TeamRoutes.token.text: .tokenRefused
        case TeamRoutes.revoke.text: .revocationRefused
        default: .requestRefused
        }
    }

    /// Fields of the request; empty if it is unreadable.
    private static func fields(of request: Request) -> [FormCoding.Field] {
        (try? request.form(maximumFields: 64).fields) ?? []
    }

    /// Response to an error; logs each fault of the server, and rate-limits temporary failures and faults of the app.
    private func failure(_ error: any Error, _ request: Request, _ team: TeamID) -> Response {
        let problem = UserFacingError(error)
        switch problem.status {
        case .notFound: break
        case .internalServerError:
            log(.error, "protocol.failed", ("request", request.id.description), ("cause", "\(describing: error)"))
        default:
            traces.refusals(
                .warning, "protocol.failed", of: team.rawValue, for: RefusalLog.cause(of: error),
                ("request", request.id.description), ("team", team.rawValue), ("cause", "\(describing: error)"))
        }
        return ProtocolAnswers.problem(problem)
    }

    /// Reads the form; a JSON body is rejected with `invalid_request`, as Apple does.
    private func parameters(of request: Request) throws(OAuthError) -> ProtocolParameters {
        guard request.hasContentType(.form) else { throw .unreadable("the body is not form-encoded") }
        let form: Form
        do throws(FormCoding.Failure) { form = try request.form(maximumFields: 64) } catch {
            throw .unreadable("the form cannot be read: \(describing: error)")
        }
        return try ProtocolParameters(form.fields)
    }
}
