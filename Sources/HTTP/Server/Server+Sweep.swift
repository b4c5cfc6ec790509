internal import EventLoop

// Timeouts.
extension Server {
    /// Checks the timeouts of every connection once per interval.
    ///
    /// libmicrohttpd's own timeout restarts with every octet and ignores suspended connections, so a client that sends
    /// one octet every few seconds would never time out.
    func scheduleSweep() {
        sweep = loop.schedule(after: options.sweepInterval) { [unowned self] in
            sweepOnce()
            scheduleSweep()
        }
    }

    func sweepOnce() {
        tick += 1
        for connection in connections { expire(connection) }
        reportDeliveries()
    }

    private func expire(_ connection: Connection) {
        switch connection.phase {
        case .head where isOver(options.headTimeout, since: connection.since),
            .body where isOver(options.bodyTimeout, since: connection.since),
            .delivery where isOver(options.sendTimeout, since: connection.since):
            connection.abort()
        case .suspension where isOver(options.answerTimeout, since: connection.since):
            answerEarly(connection, .deadlinePassed)
        case .production where isOver(options.answerTimeout, since: connection.since): connection.delivery?.cut()
        default: break
        }
    }

    /// Whether a phase that began at tick `start` has lasted at least `limit`, in whole intervals.
    private func isOver(_ limit: Duration, since start: Int) -> Bool {
        options.sweepInterval * (tick - start - 1) >= limit
    }
}
