import Crypto
import HTTP
import Platform

/// `/metrics`: figures of the whole installation, in Prometheus's text format.
///
/// For signed-in operators and for clients with the token, but not for this machine's address, because behind a proxy
/// every request comes from it.
struct Metrics: Sendable {
    let services: LoopServices
    /// Nil to allow only operators.
    let token: String?
    let isOperator: @Sendable (Request) async throws -> Bool

    func mount(on router: inout Router) { router.get(Route("/metrics")) { request in try await respond(request) } }

    private func respond(_ request: Request) async throws -> Response {
        if !hasToken(request) {
            guard try await isOperator(request) else {
                var refusal = Response.text("not for you\n", status: .unauthorized)
                refusal.append(.wwwAuthenticate, "Bearer")
                return refusal
            }
        }
        let system = SystemDatabase(services.system)
        let text = MetricsText(
            processes: try await ProcessStore(system).list(), queue: try await JobListStore(system).statistics(),
            recurring: try await RecurringJobStore(services.database).list())
        var response = Response.text(text.description)
        // Not stored, because a session cookie may have authorized the request.
        response.append(.cacheControl, "no-store")
        return response
    }

    private func hasToken(_ request: Request) -> Bool {
        guard let token, let given = request[.authorization], given.hasPrefix("Bearer ") else { return false }
        return ConstantTime.equal(String(given.dropFirst("Bearer ".count)), token)
    }
}
