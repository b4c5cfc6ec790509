internal import CMicroHTTPD
internal import Glibc

/// One libmicrohttpd daemon without threads, polled from outside.
@safe struct Daemon: ~Copyable {
    private let handle: OpaquePointer
    /// Readable when there is something to do.
    let descriptor: Int32

    /// Takes a daemon that was started.
    private init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        descriptor = unsafe pippin_mhd_epoll(handle)
    }

    /// Ends every connection; none may be suspended.
    deinit { unsafe MHD_stop_daemon(handle) }

    /// Starts the daemon of `server` on a listening socket, which it closes in the end.
    ///
    /// `context` is the server as the callbacks get it.
    static func start(
        _ server: Server,
        listening socket: Int32,
        context: UnsafeMutableRawPointer
    ) -> Daemon? {
        let options = server.options
        let memory = options.headLimit + responseMemory
        var handle: OpaquePointer?
        unsafe withText(options.tls?.key) { key in
            unsafe withText(options.tls?.certificate) { certificate in
                var setup = unsafe pippin_mhd_setup(
                    listen_socket: socket,
                    connection_memory: memory,
                    connection_limit: UInt32(clamping: options.connectionLimit),
                    connections_per_address: UInt32(clamping: options.connectionsPerAddress),
                    key: key,
                    certificate: certificate,
                    context: context,
                    answer: DaemonCallbacks.answer,
                    target: DaemonCallbacks.target,
                    completed: DaemonCallbacks.completed,
                    connection: DaemonCallbacks.connection
                )
                unsafe handle = unsafe pippin_mhd_start(&setup)
            }
        }
        // Not Optional.map: Swift 6.3 makes something of nothing when its result cannot be copied.
        guard let handle = unsafe handle else { return nil }
        return unsafe Daemon(handle)
    }

    /// Does what there is to do; answers whether more is left that no descriptor will announce.
    func run() -> Bool {
        unsafe MHD_run(handle)
        return unsafe pippin_mhd_has_pending_work(handle) != 0
    }

    /// Accepts no more connections and closes the listening socket.
    func stopListening() {
        let socket = unsafe MHD_quiesce_daemon(handle)
        if socket >= 0 { close(socket) }
    }

    /// What a connection needs beside the largest head: libmicrohttpd's notes on its fields, and the head of
    /// the answer.
    private static let responseMemory = 8 * 1024

    private static func withText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Void) {
        guard let text else { return body(nil) }
        unsafe text.withCString { unsafe body($0) }
    }
}
