internal import EventLoop

// The time-outs.
extension Server {
    /// Looks at every connection once an interval.
    ///
    /// libmicrohttpd's own time-out starts again with every octet and ignores suspended connections; a
    /// client that sends one octet every few seconds would stay for ever.
    func scheduleSweep() {
        sweep = loop.schedule(after: options.sweepInterval) { [unowned self] in
            tick += 1
            for connection in connections { expire(connection) }
            tellDeliveries()
            scheduleSweep()
        }
    }

    private func expire(_ connection: Connection) {
        switch connection.phase {
        case .head where isOver(options.headTimeout, since: connection.since),
            .body where isOver(options.bodyTimeout, since: connection.since),
            .delivery where isOver(options.sendTimeout, since: connection.since):
            connection.abort()
        case .suspension where isOver(options.answerTimeout, since: connection.since):
            answerEarly(connection, .deadlinePassed)
        case .production where isOver(options.answerTimeout, since: connection.since):
            connection.delivery?.cut()
        default: break
        }
    }

    /// Whether a phase that began at `tick` has lasted longer than `limit`, by whole intervals.
    private func isOver(_ limit: Duration, since start: Int) -> Bool {
        options.sweepInterval * (tick - start - 1) >= limit
    }
}
