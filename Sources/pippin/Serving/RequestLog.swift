import AuthEngine
import HTTP
import Log

/// Tells the log of finished requests: what failed and what we were slow at, everything at level debug.
///
/// What is our own fault has its line each time. The rest anybody can cause, by what a request looks like or by how many
/// there are, and would fill the log: it is counted. A client that left before its answer is no failure, and one that
/// sends or reads slowly is slow itself.
struct RequestLog: Sendable {
    private static let slow = Duration.seconds(1)

    let log: Log
    /// Those of the loop whose requests these are.
    let refusals: RefusalLog

    /// What of a request is a warning.
    enum Warning: Equatable {
        /// The server's own fault.
        case fault
        /// What anybody can cause, by its kind.
        case counted(String)
    }

    func note(_ finished: FinishedRequest) {
        let warning = Self.warning(
            status: finished.status?.code ?? 0,
            isSlow: Self.isSlow(work: finished.work, wasSent: finished.wasSent)
        )
        // Of most requests nothing is told, and nothing is put together.
        guard warning != nil || log.tells(.debug) else { return }
        note(
            warning,
            at: finished.request.routePattern ?? "",
            [
                ("request", finished.request.id.description),
                ("method", finished.request.method.name.description),
                ("route", finished.request.routePattern ?? ""),
                ("status", finished.status.map { String($0.code) } ?? "0"),
                ("milliseconds", String(finished.duration.milliseconds)),
                ("work-milliseconds", String(finished.work.milliseconds)),
            ]
        )
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

    /// Whether a request took us long, of which its client had the whole answer.
    static func isSlow(work: Duration, wasSent: Bool) -> Bool {
        wasSent && work > slow
    }
}
