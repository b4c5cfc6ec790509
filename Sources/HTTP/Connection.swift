internal import CMicroHTTPD
internal import EventLoop
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
        /// The same for what a route says of the head, before the body is read.
        case admission
        /// The client, to take the answer.
        case delivery
        /// The next piece of a streamed body; libmicrohttpd has suspended this connection.
        case production

        /// Whether the client has done its part for now, and we have not.
        fileprivate var isOurs: Bool {
            switch self {
            case .head, .body, .delivery: false
            case .answer, .suspension, .resumption, .admission, .production: true
            }
        }
    }

    let handle: OpaquePointer
    let peer: IPAddress
    /// What it proves itself with; nil where it is not encrypted.
    private let credential: TLSCredential?
    /// Its place in the server's list.
    var place = 0

    private(set) var phase = Phase.head
    /// The tick of the server at which the phase began.
    private(set) var since: Int
    /// How long the request under way has been ours to work on, in nanoseconds.
    private var worked: Int64 = 0
    /// Since when it is; zero where its client has it now.
    private var workBegin: Int64 = 0

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
    /// What its body takes of the loop's budget.
    var share = BodyBudget.Share()
    /// Octets of its answer that its client has yet to take (`DeliveryBudget`).
    var held = 0
    /// The number of that answer.
    var heldSince = 0
    /// Whether the route has yet to say what it makes of the head.
    var isAdmitting = false
    /// Octets of a body that are read but not kept.
    var discarded = 0
    var requestCount = 0

    init(_ handle: OpaquePointer, _ credential: TLSCredential?, at tick: Int) {
        unsafe self.handle = handle
        self.credential = credential
        let address = unsafe pippin_mhd_peer(handle)
        peer = unsafe address.flatMap { unsafe IPAddress($0) } ?? IPAddress(high: 0, low: 0)
        since = tick
        unsafe credential?.use(on: handle)
    }

    /// How long the request under way has been ours to work on: its client's time is left out.
    var work: Duration { .nanoseconds(worked) }

    var isEncrypted: Bool { credential != nil }
    var head: RequestHead { unsafe RequestHead(handle) }

    /// Whether what comes of the body is not kept: the answer is there.
    var isDiscarding: Bool { refusal != nil || outcome != nil }

    /// Whether the client has yet to send something.
    var isAwaited: Bool { phase == .head || phase == .body }
    /// Whether the client has yet to take the answer, or the piece of it that is made.
    var isDelivered: Bool { phase == .delivery }

    func enter(_ phase: Phase, at tick: Int) {
        let isOurs = phase.isOurs
        if isOurs != (workBegin != 0) {
            let now = MonotonicTime.now()
            if !isOurs { worked += now - workBegin }
            workBegin = isOurs ? now : 0
        }
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
        isAdmitting = false
        discarded = 0
        enter(.head, at: tick)
        worked = 0
    }

    /// Whether it was ended from our side.
    private(set) var isAborted = false

    /// Ends the connection from our side; libmicrohttpd notices and closes it.
    func abort() {
        isAborted = true
        let socket = unsafe pippin_mhd_socket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
