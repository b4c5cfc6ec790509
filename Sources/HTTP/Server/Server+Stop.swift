internal import EventLoop
internal import Glibc

// Shutdown.
extension Server {
    /// Stops serving: accepts no more connections, lets current requests finish, and closes every connection.
    ///
    /// Idle connections are closed after `idle`, or with the response to a request that arrives before. After
    /// `timeout`, requests without a response get 503 and streamed bodies that are not finished are cut off. Call it on
    /// the server's loop, before the loop is stopped.
    public func stop(within timeout: Duration, idle: Duration = .zero) async {
        loop.preconditionCurrent()
        guard !isStopping else { return }
        isStopping = true
        // Connections that wait in the kernel are accepted first, because closing the socket would reset them.
        accept(limit: Int(SOMAXCONN))
        run()
        stopListening()
        await drain(for: idle)
        for connection in connections where connection.phase == .head { connection.abort() }
        await drain(for: timeout)
        for connection in connections {
            answerEarly(connection, .overloaded)
            connection.delivery?.cut()
        }
        run()
        await drain(for: .milliseconds(200))
        close()
    }

    /// Waits until no connection is left, for `timeout` at most.
    private func drain(for timeout: Duration) async {
        let end = ContinuousClock.now + timeout
        while !connections.isEmpty && ContinuousClock.now < end { await loop.sleep(for: .milliseconds(5)) }
    }
}
