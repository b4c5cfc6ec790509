import HTTP
import Log

/// Tells the log of finished requests: what failed and what was slow always, everything at level debug.
struct RequestLog: Sendable {
    private static let slow = Duration.seconds(1)

    let log: Log

    func note(_ finished: FinishedRequest) {
        let status = finished.status?.code ?? 0
        let isWorthTelling = status == 0 || status >= 500 || finished.duration > Self.slow
        log(
            isWorthTelling ? .warning : .debug,
            "request",
            ("request", finished.request.id.description),
            ("method", finished.request.method.name.description),
            ("route", finished.request.routePattern ?? ""),
            ("status", String(status)),
            (
                "milliseconds",
                String(
                    finished.duration.components.attoseconds / 1_000_000_000_000_000
                        + finished.duration.components.seconds * 1000
                )
            )
        )
    }
}
