internal import EventLoop
internal import Glibc

// The end.
extension Server {
    /// Stops serving: accepts nothing more, lets requests under way finish, and closes every connection.
    ///
    /// Idle connections are closed after `idle`, or with the answer to the request that comes meanwhile.
    /// Requests that are not answered after `patience` are answered 503, bodies that are not through are cut. To be called on the server's loop,
    /// before that is stopped.
    public func stop(within patience: Duration, idle: Duration = .zero) async {
        loop.preconditionCurrent()
        guard !isStopping else { return }
        isStopping = true
        // What already waits in the kernel is taken up first: closing the socket would reset it.
        accept(limit: Int(SOMAXCONN))
        run()
        stopListening()
        await drain(for: idle)
        for connection in connections where connection.phase == .head { connection.abort() }
        await drain(for: patience)
        for connection in connections {
            answerEarly(connection, .overloaded)
            connection.delivery?.cut()
        }
        run()
        await drain(for: .milliseconds(200))
        close()
    }

    /// Waits until no connection is left, at most for `patience`.
    private func drain(for patience: Duration) async {
        let end = ContinuousClock.now + patience
        while !connections.isEmpty && ContinuousClock.now < end {
            await loop.sleep(for: .milliseconds(5))
        }
    }
}
