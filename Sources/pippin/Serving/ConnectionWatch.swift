import Accounts
import Core
import EventLoop
import Glibc
import HTTP
import Platform
import Synchronization

/// Reports the connections of this process, and logs those that were refused, closed or had to wait.
final class ConnectionWatch: Sendable {
    private let log: Log
    /// Nil until the servers have started.
    private let inFlight = Mutex<InFlight?>(nil)
    private let told = Mutex(ConnectionFigures())

    init(log: Log) { self.log = log }

    /// Watches the servers of this process, which share one count.
    func begin(with servers: [Server]) {
        let shared = servers.first?.inFlight
        inFlight.withLock { $0 = shared }
    }

    /// The current statistics; what was refused, closed or waited since the last call goes to the log.
    func sample() -> ConnectionStatistics {
        let figures = inFlight.withLock { $0?.figures } ?? ConnectionFigures()
        let before = told.withLock { told in
            defer { told = figures }
            return told
        }
        logChanges(figures, since: before)
        var statistics = ConnectionStatistics()
        (statistics.now, statistics.peak, statistics.limit) = (figures.now, figures.peak, figures.limit)
        (statistics.refused, statistics.full) = (figures.refused, figures.full)
        statistics.shortages = figures.exhaustions
        (statistics.octetsInDelivery, statistics.answersGivenUp) = (figures.inDelivery, figures.answersGivenUp)
        (statistics.descriptors, statistics.descriptorLimit) = (Descriptors.count, Descriptors.limit)
        return statistics
    }

    private func logChanges(_ now: ConnectionFigures, since before: ConnectionFigures) {
        let causes: [(String, Int, IPAddress?)] = [
            ("address", now.refused - before.refused, now.lastRefused), ("limit", now.full - before.full, nil),
            ("delivery", now.answersGivenUp - before.answersGivenUp, nil),
            ("descriptors", now.exhaustions - before.exhaustions, nil),
        ]
        for (cause, count, address) in causes where count > 0 {
            log(
                .warning, "connections.refused", ("cause", cause), ("count", String(count)),
                ("address", address?.description))
        }
    }
}
