import AuthEngine
import Bytes
import Domain
import HTTP
import Log
import Web

/// The addresses apps ask: token, revocation, keys, discovery.
struct ProtocolEndpoints: Sendable {
    let teams: TeamCache
    let tokens: TokenEndpoint
    let revocation: Revocation
    let documents: TeamDocuments
    let log: Log

    func mount(on router: inout Router) {
        let options = RouteOptions(bodyLimit: 64 * 1024)
        router.post(TeamRoutes.token, options) { request, team in
            await answer(request, team) { parameters, team in
                ProtocolAnswers.json(
                    try await tokens.respond(to: parameters, of: team, from: request.auditOrigin)
                )
            }
        }
        router.post(TeamRoutes.revoke, options) { request, team in
            await answer(request, team) { parameters, team in
                try await revocation.respond(to: parameters, of: team, from: request.auditOrigin)
                return ProtocolAnswers.json([])
            }
        }
        router.get(TeamRoutes.keys) { _, team in
            Response(try documents.keys(of: try await snapshot(team)))
        }
        router.get(TeamRoutes.discovery) { _, team in
            Response(try documents.discovery(of: try await snapshot(team)))
        }
    }

    private func snapshot(_ team: TeamID) async throws -> TeamSnapshot {
        guard team != .system, let snapshot = try await teams.snapshot(of: team) else {
            throw Problem.notFound
        }
        return snapshot
    }

    /// Reads the form, runs `body`, and turns every way it ends into the protocol's answer.
    private func answer(
        _ request: Request,
        _ team: TeamID,
        _ body: (ProtocolParameters, TeamSnapshot) async throws -> Response
    ) async -> Response {
        do {
            let snapshot = try await snapshot(team)
            return try await body(try parameters(of: request), snapshot)
        } catch let error as OAuthError {
            log(
                .info,
                "protocol.refused",
                ("request", request.id.description),
                ("team", team.rawValue),
                ("error", error.code.rawValue),
                ("reason", error.reason)
            )
            return ProtocolAnswers.refusal(error)
        } catch {
            let problem = Problem(error)
            if problem.status != .notFound {
                log(.error, "protocol.failed", ("request", request.id.description), ("cause", "\(error)"))
            }
            return ProtocolAnswers.problem(problem)
        }
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
