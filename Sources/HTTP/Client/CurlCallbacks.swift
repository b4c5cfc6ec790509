internal import CCurl
internal import Glibc

/// The callbacks of libcurl, called from within calls that the client makes on its loop's thread.
///
/// A transfer's pointer is valid as long as its easy handle, which the transfer owns.
enum CurlCallbacks {
    static let body: curl_write_callback = { start, _, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        return unsafe transfer.takeBody(UnsafeRawBufferPointer(start: start, count: count)) ? count : 0
    }

    static let field: curl_write_callback = { start, _, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        return unsafe transfer.takeField(UnsafeRawBufferPointer(start: start, count: count)) ? count : 0
    }

    /// Opens the socket for an address, or rejects the address before anything is sent to it.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let transfer = unsafe transfer(context), let address = unsafe address else { return -1 }
        let family = unsafe address.pointee.family
        let name = unsafe UnsafeRawPointer(address).advanced(by: MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 16)
        guard unsafe transfer.allows(PeerAddress(name, family: family)) else { return -1 }
        let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let made = unsafe transfer.openSocket(family, type, address.pointee.protocol)
        if made < 0 { transfer.noteMissingSocket(errno) }
        return made
    }

    /// Checks the connection about to be used, because it may have been opened for a request with a wider policy.
    static let connected: curl_prereq_callback = { context, address, _, _, _ in
        guard let transfer = unsafe transfer(context), let address = unsafe address else {
            return CURL_PREREQFUNC_ABORT
        }
        let peer = unsafe PeerAddress(String(cString: address))
        return transfer.allows(peer) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let socketChanged: curl_socket_callback = { _, socket, what, context, _ in
        unsafe client(context)?.watch(socket, for: what)
        return 0
    }

    static let timerChanged: curl_multi_timer_callback = { _, milliseconds, context in
        unsafe client(context)?.setTimer(milliseconds)
        return 0
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func client(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
        unsafe context.map { unsafe Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
    }
}
