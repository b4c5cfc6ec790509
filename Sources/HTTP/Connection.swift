internal import CMicroHTTPD
internal import Glibc

/// One client's connection, with the request under way on it.
///
/// Lives from libmicrohttpd's notice that it started to the notice that it closed, on the loop's thread.
@safe final class Connection {
    /// What the server waits for.
    enum Phase {
        /// The next head.
        case head
        /// The rest of the body.
        case body
        /// The handler, which is running for the first time and may answer without suspending.
        case answer
        /// The handler, which has suspended; so has libmicrohttpd this connection.
        case suspension
        /// Nothing: the answer is there, and libmicrohttpd has yet to ask for it.
        case resumption
        /// The client, to take the answer.
        case delivery
        /// The next piece of a streamed body; libmicrohttpd has suspended this connection.
        case production
    }

    let handle: OpaquePointer
    let peer: IPAddress
    let isEncrypted: Bool
    /// Its place in the server's list.
    var place = 0

    private(set) var phase = Phase.head
    /// The tick of the server at which the phase began.
    private(set) var since: Int

    /// The target of the request line that came last.
    var rawTarget: [UInt8] = []
    /// Where libmicrohttpd keeps its first octet.
    var targetStart: UnsafePointer<CChar>?
    var request: Request?
    /// What the request is refused with once its body is through.
    var refusal: Refusal?
    /// The answer of a handler that has suspended.
    var outcome: Response?
    var task: Task<Void, Never>?
    /// The streamed body under way.
    var delivery: BodyDelivery?
    var status: Status?
    /// Whether the answer under way is the last one.
    var isLast = false
    /// Octets of a body that are read but not kept.
    var discarded = 0
    var requestCount = 0

    init(_ handle: OpaquePointer, isEncrypted: Bool, at tick: Int) {
        unsafe self.handle = handle
        self.isEncrypted = isEncrypted
        let address = unsafe pippin_mhd_peer(handle)
        peer = unsafe address.flatMap { unsafe IPAddress($0) } ?? IPAddress(high: 0, low: 0)
        since = tick
    }

    var head: RequestHead { unsafe RequestHead(handle) }

    func enter(_ phase: Phase, at tick: Int) {
        self.phase = phase
        since = tick
    }

    /// Forgets the request that ended.
    func reset(at tick: Int) {
        request?.connection = nil
        request = nil
        refusal = nil
        outcome = nil
        task = nil
        delivery?.abandon()
        delivery = nil
        status = nil
        isLast = false
        discarded = 0
        enter(.head, at: tick)
    }

    /// Ends the connection from our side; libmicrohttpd notices and closes it.
    func abort() {
        let socket = unsafe pippin_mhd_socket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
