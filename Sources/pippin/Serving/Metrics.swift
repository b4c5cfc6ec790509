import Crypto
import Domain
import HTTP
import Jobs
import Operations

/// `/metrics`: figures of the whole installation, in Prometheus's text format.
///
/// For operators who are signed in, and for whoever brings the token. Not for whoever comes from this machine: behind a
/// proxy that is everybody.
struct Metrics: Sendable {
    let worker: Worker
    /// Nil: only operators may ask.
    let token: String?
    let isOperator: @Sendable (Request) async throws -> Bool

    func mount(on router: inout Router) {
        router.get(Route("/metrics")) { request in try await respond(request) }
    }

    private func respond(_ request: Request) async throws -> Response {
        if !hasToken(request) {
            guard try await isOperator(request) else {
                var refusal = Response.text("not for you\n", status: .unauthorized)
                refusal.append(.wwwAuthenticate, "Bearer")
                return refusal
            }
        }
        let system = SystemDatabase(worker.system)
        let text = MetricsText(
            processes: try await ProcessStore(system).list(),
            queue: try await JobListStore(system).statistics(),
            schedules: try await ScheduleStore(system).list()
        )
        var response = Response.text(text.description)
        // It may have been a cookie that opened it.
        response.append(.cacheControl, "no-store")
        return response
    }

    private func hasToken(_ request: Request) -> Bool {
        guard let token, let given = request[.authorization], given.hasPrefix("Bearer ") else { return false }
        return ConstantTime.equal(String(given.dropFirst("Bearer ".count)), token)
    }
}
