import HTTP
import Log
import Web

/// What the log learns of a handler's error; the one who asked learns only the request's id.
struct Failures: Sendable {
    let log: Log
    /// Counts what passes by itself, which anybody can cause with enough requests at once.
    let refusals: RefusalLog

    func note(_ error: any Error, _ request: Request) {
        let problem = Problem(error)
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
