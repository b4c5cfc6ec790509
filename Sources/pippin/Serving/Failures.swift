import HTTP
import Log
import Web

/// Logs the errors of handlers; the response shows only the request's ID.
struct Failures: Sendable {
    let log: Log
    /// Counts failures that any client can cause with enough simultaneous requests.
    let refusals: RefusalLog

    func note(_ error: any Error, _ request: Request) {
        let problem = UserFacingError(error)
        guard problem.status.code >= 500 else { return }
        let members: [(StaticString, String?)] = [
            ("request", request.id.description), ("route", request.routePattern), ("cause", "\(error)"),
        ]
        guard problem.status == .internalServerError else {
            let (route, cause) = (request.routePattern ?? "", RefusalLog.cause(of: error))
            return refusals.line(.warning, "request.failed", at: route, for: cause, members)
        }
        log.line(.error, "request.failed", members)
    }
}
