import EventLoop
import HTTP
import Log
import Operations
import Synchronization

/// Tells of the connections of this process, and says in the log when some were not taken.
final class ConnectionWatch: Sendable {
    private let log: Log
    /// Nil until the servers are there.
    private let count = Mutex<ConnectionCount?>(nil)
    private let told = Mutex(ConnectionFigures())

    init(log: Log) {
        self.log = log
    }

    /// Watches the servers of this process, which count together.
    func begin(with servers: [Server]) {
        let shared = servers.first?.connectionCount
        count.withLock { $0 = shared }
    }

    /// How it is now; what was refused since the last look goes to the log.
    func look() -> ConnectionBeat {
        let figures = count.withLock { $0?.figures } ?? ConnectionFigures()
        let before = told.withLock { told in
            defer { told = figures }
            return told
        }
        tell(figures, since: before)
        return ConnectionBeat(
            now: figures.now,
            peak: figures.peak,
            limit: figures.limit,
            refused: (figures.refusedByAddress, figures.refusedBySite, figures.refusedForRoom),
            displaced: figures.displaced,
            shortages: figures.exhaustions,
            delivery: (figures.inDelivery, figures.answersGivenUp),
            descriptors: (Descriptors.count, Descriptors.limit)
        )
    }

    private func tell(_ now: ConnectionFigures, since before: ConnectionFigures) {
        let causes: [(String, Int, IPAddress?)] = [
            ("address", now.refusedByAddress - before.refusedByAddress, now.lastRefused),
            ("site", now.refusedBySite - before.refusedBySite, now.lastRefusedOfSite),
            ("limit", now.refusedForRoom - before.refusedForRoom, nil),
            ("displaced", now.displaced - before.displaced, nil),
            ("delivery", now.answersGivenUp - before.answersGivenUp, nil),
            ("descriptors", now.exhaustions - before.exhaustions, nil),
        ]
        for (cause, count, address) in causes where count > 0 {
            log(
                .warning,
                "connections.refused",
                ("cause", cause),
                ("count", String(count)),
                ("address", address?.description)
            )
        }
    }
}
