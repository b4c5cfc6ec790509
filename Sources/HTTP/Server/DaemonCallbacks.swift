internal import CMicroHTTPD
internal import Glibc

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
        guard let server = unsafe server(context), let pointer = unsafe slot?.pointee, let method = unsafe method,
            let version = unsafe version, let size = unsafe uploadSize
        else { return pippin_mhd_no }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        switch connection.phase {
        case .head: return unsafe server.begin(connection, method: method, version: version)
        case .body where unsafe size.pointee > 0:
            let chunk = unsafe UnsafeRawBufferPointer(start: upload, count: size.pointee)
            unsafe size.pointee = 0
            return unsafe server.receive(chunk, on: connection)
        case .body: return server.complete(connection)
        case .resumption: return server.answerResumed(connection)
        case .admission: return server.admitted(connection)
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
