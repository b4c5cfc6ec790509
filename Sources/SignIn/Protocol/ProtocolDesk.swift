import AuthEngine
import Bytes
import Domain
import HTTP
import Log
import Web

/// Takes what apps send and turns every way it ends into the protocol's answer.
struct ProtocolDesk: Sendable {
    /// Of the routes whose forms are read here.
    static let options = RouteOptions(bodyLimit: 64 * 1024)

    let teams: TeamCache
    let flows: FlowRecorder
    let log: Log

    /// The team, which is never the system's.
    func snapshot(_ team: TeamID) async throws -> TeamSnapshot {
        guard team != .system, let snapshot = try await teams.snapshot(of: team) else {
            throw Problem.notFound
        }
        return snapshot
    }

    /// Reads the form and runs `body`.
    func answer(
        _ request: Request,
        _ team: TeamID,
        _ body: (ProtocolParameters, TeamSnapshot) async throws -> Response
    ) async -> Response {
        do {
            let snapshot = try await snapshot(team)
            do {
                return try await body(try parameters(of: request), snapshot)
            } catch {
                note(error, request, snapshot)
                throw error
            }
        } catch let error as OAuthError {
            flows.refusals(
                .info,
                "protocol.refused",
                of: team.rawValue,
                for: error.cause.rawValue,
                ("request", request.id.description),
                ("team", team.rawValue),
                ("error", error.code.rawValue),
                ("reason", error.reason)
            )
            return ProtocolAnswers.refusal(error)
        } catch let error as ProviderFailure {
            return trouble(error, request, team)
        } catch {
            return failure(error, request, team)
        }
    }

    /// Tells the team why its app was refused; what it can do nothing about is for the operators' log alone.
    private func note(_ error: any Error, _ request: Request, _ team: TeamSnapshot) {
        let (kind, fields) = (Self.kind(of: request), Self.fields(of: request))
        switch error {
        case let error as OAuthError:
            flows.refuse(error, kind, of: fields, to: team, from: request.auditOrigin)
        case let error as ProviderFailure:
            flows.refuse(error, kind, of: fields, to: team, from: request.auditOrigin)
        default: break
        }
    }

    /// What went wrong at a provider: to be tried again where that helps, else a refusal.
    private func trouble(_ failure: ProviderFailure, _ request: Request, _ team: TeamID) -> Response {
        flows.refusals(
            .info,
            "provider.failed",
            of: team.rawValue,
            for: failure.cause.rawValue,
            ("request", request.id.description),
            ("team", team.rawValue),
            ("cause", failure.cause.rawValue),
            ("reason", failure.reason)
        )
        guard failure.remedy != .again else { return ProtocolAnswers.problem(.appleLater(failure)) }
        return ProtocolAnswers.refusal(OAuthError(failure))
    }

    /// Runs `body` with the token of the `Authorization` field; nil from it is a token that is not good.
    func answer(
        bearerOf request: Request,
        _ team: TeamID,
        _ body: (String, TeamSnapshot) async throws -> Response?
    ) async -> Response {
        do {
            let snapshot = try await snapshot(team)
            guard let token = BearerToken(request) else {
                return ProtocolAnswers.bearerWanted(isInvalid: false)
            }
            return try await body(token.text, snapshot) ?? ProtocolAnswers.bearerWanted(isInvalid: true)
        } catch {
            return failure(error, request, team)
        }
    }

    /// The step that a refusal at that address is.
    private static func kind(of request: Request) -> FlowStep.Kind {
        switch request.routePattern {
        case TeamRoutes.token.text: .tokenRefused
        case TeamRoutes.revoke.text: .revocationRefused
        default: .requestRefused
        }
    }

    /// What was sent, as far as it can be read.
    private static func fields(of request: Request) -> [FormCoding.Field] {
        (try? request.form(maximumFields: 64).fields) ?? []
    }

    /// What our own fault is has its line each time; what passes by itself, or is the app's fault, is counted.
    private func failure(_ error: any Error, _ request: Request, _ team: TeamID) -> Response {
        let problem = Problem(error)
        switch problem.status {
        case .notFound: break
        case .internalServerError:
            log(.error, "protocol.failed", ("request", request.id.description), ("cause", "\(error)"))
        default:
            flows.refusals(
                .warning,
                "protocol.failed",
                of: team.rawValue,
                for: RefusalLog.cause(of: error),
                ("request", request.id.description),
                ("team", team.rawValue),
                ("cause", "\(error)")
            )
        }
        return ProtocolAnswers.problem(problem)
    }

    /// Apple answers a JSON body, too, with `invalid_request`.
    private func parameters(of request: Request) throws(OAuthError) -> ProtocolParameters {
        guard request.hasContentType(.form) else { throw .unreadable("the body is not form-encoded") }
        let form: Form
        do throws(FormCoding.Failure) {
            form = try request.form(maximumFields: 64)
        } catch {
            throw .unreadable("the form cannot be read: \(error)")
        }
        return try ProtocolParameters(form.fields)
    }
}
