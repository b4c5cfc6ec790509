import EventLoop

/// Connections that single statements share, opened at once and opened again when they are lost.
final class SharedConnections {
    private let loop: EventLoop
    private let configuration: DatabaseConfiguration
    private(set) var all: [Connection] = []
    /// Connections lost since the last one that became ready.
    private var failures = 0
    private var isClosed = false
    /// Until when lost connections stay closed, so that room is left to another purpose.
    private var roomUntil: Int64 = 0
    /// When a connection was last given up for another purpose.
    private var sparedAt: Int64 = .min / 2

    init(loop: EventLoop, _ configuration: DatabaseConfiguration) {
        self.loop = loop
        self.configuration = configuration
    }

    /// - Parameter changed: called when a connection became ready, was lost, or finished a segment.
    func open(_ changed: @escaping (Connection) -> Void) {
        for _ in 0..<configuration.shared {
            let connection = Connection(loop: loop, configuration, waitingForRows: Self.waitForRows)
            connection.onChange = { [unowned self] connection in
                if connection.state == .ready { failures = 0 }
                if connection.state == .closed { reopen(connection) }
                changed(connection)
            }
            all.append(connection)
            connection.open()
        }
    }

    func close() {
        isClosed = true
        for connection in all { connection.close("closing") }
        all = []
    }

    /// Lock timeout on a shared connection, where the statements behind wait too: about as long as a commit takes on
    /// another loop that holds the row.
    private static var waitForRows: Duration { .milliseconds(10) }

    private func reopen(_ connection: Connection) {
        guard !isClosed else { return }
        failures += 1
        let pause = max(pause, .nanoseconds(roomUntil - MonotonicTime.now()))
        loop.schedule(after: pause) { [weak self, weak connection] in
            guard let self, let connection, !isClosed else { return }
            if roomUntil > MonotonicTime.now() { reopen(connection) } else { connection.open() }
        }
    }

    /// Time until a lost connection is opened again: 0.2 s, doubled after each round of failures up to 2 s, less up to a
    /// half, so that the connections of all loops and servers do not knock at once.
    private var pause: Duration {
        let rounds = min(failures / max(1, configuration.shared), 4)
        return min(.milliseconds(200 << rounds), .seconds(2)) * Double.random(in: 0.5...1)
    }

    /// Whether one can be used.
    var isReady: Bool { all.contains { $0.state == .ready } }

    /// Why one was last lost; empty while all are ready.
    var problem: String { all.first { $0.state != .ready }?.lastProblem ?? "" }

    /// The ready connection with the fewest segments in progress; nil if none has room.
    var leastLoaded: Connection? {
        var least: Connection?
        let start = configuration.servers.currentStart
        for connection in all where connection.state == .ready && connection.load < configuration.depth {
            // A server whose place another one took gets nothing more.
            guard connection.serverStart == start else { continue }
            if let load = least?.load, load <= connection.load { continue }
            least = connection
        }
        return least
    }

    /// Gives up the least loaded connection for a purpose that has none, where the server has no more, unless it is the last one.
    ///
    /// - Parameter retry: called a little later, since the server may not have noticed before.
    /// - Returns: false if no connection can be spared, now or in a moment, and none was just now.
    func makeRoom(_ retry: @escaping () -> Void) -> Bool {
        let (now, second) = (MonotonicTime.now(), Duration.seconds(1).nanoseconds)
        let ready = all.filter { $0.state == .ready }
        if sparedAt + second < now, ready.count > 1, let least = ready.min(by: { $0.load < $1.load }) {
            sparedAt = now
            least.retire()
        }
        // One that is being opened may have a place as well, and can be spared once it is ready.
        let isOpening = all.contains { $0.state == .connecting || $0.state == .checking }
        // The server may take a while to notice: as long as a statement may wait.
        guard isOpening || sparedAt + configuration.timeout.nanoseconds > now else { return false }
        roomUntil = now + second
        loop.schedule(after: .milliseconds(50), retry)
        return true
    }
}
