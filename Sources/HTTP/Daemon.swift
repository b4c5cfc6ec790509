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

    /// Starts the daemon of `server`, which is given every connection it serves.
    ///
    /// `context` is the server as the callbacks get it.
    static func start(_ server: Server, context: UnsafeMutableRawPointer) -> Daemon? {
        let options = server.options
        let memory = options.headLimit + responseMemory
        var handle: OpaquePointer?
        var setup = unsafe pippin_mhd_setup(
            connection_memory: memory,
            encrypted: options.tls == nil ? 0 : 1,
            context: context,
            answer: DaemonCallbacks.answer,
            target: DaemonCallbacks.target,
            completed: DaemonCallbacks.completed,
            connection: DaemonCallbacks.connection
        )
        unsafe handle = unsafe pippin_mhd_start(&setup)
        // Not Optional.map: Swift 6.3 makes something of nothing when its result cannot be copied.
        guard let handle = unsafe handle else { return nil }
        return unsafe Daemon(handle)
    }

    /// Does what there is to do; answers whether more is left that no descriptor will announce.
    func run() -> Bool {
        unsafe MHD_run(handle)
        return unsafe pippin_mhd_has_pending_work(handle) != 0
    }

    /// Serves a connection, whose socket is the daemon's from now on; false when that is closed at once.
    func add(_ incoming: ListeningSocket.Incoming) -> Bool {
        unsafe withUnsafeBytes(of: incoming.address) { address in
            let start = unsafe address.assumingMemoryBound(to: sockaddr.self).baseAddress
            let result = unsafe MHD_add_connection(handle, incoming.socket, start, incoming.addressSize)
            return result == pippin_mhd_yes
        }
    }

    /// What a connection needs beside the largest head: libmicrohttpd's notes on its fields, and the head of
    /// the answer.
    private static let responseMemory = 8 * 1024
}
