internal import CMicroHTTPD
internal import Glibc

/// A libmicrohttpd daemon without threads, driven by the server's event loop.
@safe struct Daemon: ~Copyable {
    private let handle: OpaquePointer
    /// An epoll descriptor, readable when the daemon has work.
    let descriptor: Int32

    /// Wraps a daemon that is already started.
    private init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        descriptor = unsafe pippin_mhd_epoll(handle)
    }

    /// Stops the daemon and closes every connection; none may be suspended.
    deinit { unsafe MHD_stop_daemon(handle) }

    /// Starts a daemon that passes every connection to `server`; nil when libmicrohttpd does not start.
    ///
    /// `context` is a pointer to the server, which the callbacks receive.
    static func start(_ server: Server, context: UnsafeMutableRawPointer) -> Daemon? {
        let options = server.options
        let memory = options.headLimit + responseMemory
        var handle: OpaquePointer?
        var setup = unsafe pippin_mhd_setup(
            connection_memory: memory, encrypted: options.tls == nil ? 0 : 1, context: context,
            answer: DaemonCallbacks.answer, target: DaemonCallbacks.target, completed: DaemonCallbacks.completed,
            connection: DaemonCallbacks.connection)
        unsafe handle = unsafe pippin_mhd_start(&setup)
        // Not Optional.map: Swift 6.3 turns nil into a value when the result is noncopyable.
        guard let handle = unsafe handle else { return nil }
        return unsafe Daemon(handle)
    }

    /// Processes pending work; returns whether work is left that no descriptor signals.
    func run() -> Bool {
        unsafe MHD_run(handle)
        return unsafe pippin_mhd_has_pending_work(handle) != 0
    }

    /// Adds an accepted connection and takes over its socket; false when libmicrohttpd closes it at once.
    func add(_ incoming: ListeningSocket.Incoming) -> Bool {
        unsafe withUnsafeBytes(of: incoming.address) { address in
            let start = unsafe address.assumingMemoryBound(to: sockaddr.self).baseAddress
            let result = unsafe MHD_add_connection(handle, incoming.socket, start, incoming.addressSize)
            return result == pippin_mhd_yes
        }
    }

    /// Octets a connection needs beside the largest head: libmicrohttpd's entries for its fields, and the response's
    /// head.
    private static let responseMemory = 8 * 1024
}
