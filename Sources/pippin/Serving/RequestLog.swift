import Core
import HTTP
import SignIn

/// Logs finished requests and the errors of handlers: failed and slow ones as warnings, all others at level debug.
///
/// A fault of the server gets a line each time. Other warnings any client can cause, by the form or number of its
/// requests, and they would fill the log, so they are counted. A client that disconnects before the response is no
/// failure, and the time that a client takes to send or read does not count.
struct RequestLog: Sendable {
    private static let slow = Duration.seconds(1)

    let log: Log
    /// Refusal log of the loop that serves these requests.
    let refusals: RefusalLog

    /// Kind of warning about a request.
    enum Warning: Equatable {
        /// A fault of the server.
        case fault
        /// A condition that any client can cause, with its name.
        case counted(String)
    }

    func note(_ finished: FinishedRequest) {
        // What `/readyz` answers is logged by its changes (`readiness.changed`), not by its questions.
        let warning =
            finished.request.routePattern == "/readyz"
            ? nil
            : Self.warning(
                status: finished.status?.code ?? 0, isSlow: Self.isSlow(work: finished.work, wasSent: finished.wasSent))
        // Most requests need no line, so none is built for them.
        guard warning != nil || log.tells(.debug) else { return }
        note(
            warning, at: finished.request.routePattern ?? "",
            [
                ("request", finished.request.id.description), ("method", finished.request.method.name.description),
                ("route", finished.request.routePattern ?? ""),
                ("status", finished.status.map { String($0.code) } ?? "0"),
                ("milliseconds", String(finished.duration.milliseconds)),
                ("work-milliseconds", String(finished.work.milliseconds)),
            ])
    }

    /// Logs the error of a handler; the response shows only the request's ID.
    func note(_ error: any Error, _ request: Request) {
        let problem = UserFacingError(error)
        guard problem.status.code >= 500 else { return }
        let members: [(StaticString, String?)] = [
            ("request", request.id.description), ("route", request.routePattern), ("cause", "\(describing: error)"),
        ]
        guard problem.status == .internalServerError else {
            // Any client can cause it with enough simultaneous requests.
            let (route, cause) = (request.routePattern ?? "", RefusalLog.cause(of: error))
            return refusals.line(.warning, "request.failed", at: route, for: cause, members)
        }
        log.line(.error, "request.failed", members)
    }

    /// Writes the line of a request, or counts it.
    func note(_ warning: Warning?, at route: String, _ members: [(StaticString, String?)]) {
        switch warning {
        case .fault?: log.line(.warning, "request", members)
        case .counted(let cause)?: refusals.line(.warning, "request", at: route, for: cause, members)
        case nil: log.line(.debug, "request", members)
        }
    }

    static func warning(status: UInt16, isSlow: Bool) -> Warning? {
        switch status {
        case 500: .fault
        case 501...: .counted(String(status))
        default: isSlow ? .counted("slow") : nil
        }
    }

    /// Whether the server took long for a request whose client received the whole response.
    static func isSlow(work: Duration, wasSent: Bool) -> Bool { wasSent && work > slow }
}
