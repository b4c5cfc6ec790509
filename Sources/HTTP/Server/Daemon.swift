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
            connection_memory: memory, memory_increment: memoryIncrement, encrypted: options.tls == nil ? 0 : 1,
            context: context, answer: DaemonCallbacks.answer, target: DaemonCallbacks.target,
            completed: DaemonCallbacks.completed, connection: DaemonCallbacks.connection)
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
    private static let responseMemory = 12 * 1024
    /// Octets by which the buffer for a head grows, from half of the memory: 14 KiB, 22 KiB, and then no more.
    ///
    /// So a head either finds room for the response beside it, or libmicrohttpd answers it 431 itself; one that filled the
    /// memory would get no response.
    private static let memoryIncrement = 8 * 1024
}

/// The callbacks of libmicrohttpd, always called from within `Server.run()` and so on the loop's thread.
///
/// The context pointer of a socket is its `Connection`, retained from start to close; the context pointer of a request
/// is the same object. So nothing leaks when a request never reaches the handler.
enum DaemonCallbacks {
    static let connection: MHD_NotifyConnectionCallback = { context, handle, slot, code in
        guard let server = unsafe server(context), let handle = unsafe handle, let slot = unsafe slot else { return }
        if code == pippin_mhd_started {
            let connection = unsafe server.started(handle)
            unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let pointer = unsafe slot.pointee {
            unsafe server.closed(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
        }
    }

    /// Stores the target of the request line before libmicrohttpd splits it in place.
    ///
    /// The query is read from this copy, and libmicrohttpd gets an empty one: it would create an entry in the
    /// connection's memory for each parameter, and when that memory is used up it drops the request without a response.
    static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>, OpaquePointer) -> UnsafeMutableRawPointer? = {
            _, target, handle in
            guard let pointer = unsafe pippin_mhd_context(handle) else { return nil }
            let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
            let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
            connection.rawTarget = unsafe Array(bytes)
            unsafe connection.targetStart = target
            if let mark = unsafe bytes.firstIndex(of: UInt8(ascii: "?")) {
                unsafe UnsafeMutablePointer(mutating: target)[mark + 1] = 0
            }
            return unsafe pointer
        }

    static let answer: MHD_AccessHandlerCallback = { context, _, _, method, version, upload, uploadSize, slot in
        guard let server = unsafe server(context), let requests = server.requests, let pointer = unsafe slot?.pointee,
            let method = unsafe method, let version = unsafe version, let size = unsafe uploadSize
        else { return pippin_mhd_no }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        switch connection.phase {
        case .head: return unsafe requests.begin(connection, method: method, version: version)
        case .body where unsafe size.pointee > 0:
            let chunk = unsafe UnsafeRawBufferPointer(start: upload, count: size.pointee)
            unsafe size.pointee = 0
            return unsafe requests.receive(chunk, on: connection)
        case .body: return requests.complete(connection)
        case .resumption: return server.answerResumed(connection)
        case .admission: return requests.admitted(connection)
        case .answer, .suspension, .delivery, .production: return pippin_mhd_no
        }
    }

    static let completed: MHD_RequestCompletedCallback = { context, _, slot, code in
        guard let server = unsafe server(context), let pointer = unsafe slot?.pointee else { return }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        server.completed(connection, wasSent: code == pippin_mhd_completed)
    }

    private static func server(_ context: UnsafeMutableRawPointer?) -> Server? {
        unsafe context.map { unsafe Unmanaged<Server>.fromOpaque($0).takeUnretainedValue() }
    }
}
