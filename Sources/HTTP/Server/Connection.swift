internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// A client's connection with its current request.
///
/// Lives from libmicrohttpd's callback for its start to the callback for its close, on the loop's thread.
@safe final class Connection {
    /// State of a connection: what the server waits for.
    enum Phase {
        /// The next request head.
        case head
        /// The rest of the request body.
        case body
        /// The handler or admission check, which runs for the first time and may respond without suspending.
        case answer
        /// The handler or admission check, which has suspended; libmicrohttpd has suspended the connection.
        case suspension
        /// libmicrohttpd, to request the response, which is ready.
        case resumption
        /// libmicrohttpd, to continue after the route's admission check, which has finished before the body is read.
        case admission
        /// The client, to receive the response.
        case delivery
        /// The next piece of a streamed body; libmicrohttpd has suspended the connection.
        case production

        /// Whether the server works on the request rather than waits for the client.
        fileprivate var isOurs: Bool {
            switch self {
            case .head, .body, .delivery: false
            case .answer, .suspension, .resumption, .admission, .production: true
            }
        }
    }

    let handle: OpaquePointer
    let peer: IPAddress
    /// TLS certificate and key of the connection; nil when it is not encrypted.
    private let credential: TLSCredential?
    /// Index in the server's list of connections.
    var place = 0

    /// Whether the peer is a trusted proxy.
    let isOfProxy: Bool
    /// Whether it was kept after a response.
    private(set) var isKept = false
    private(set) var phase = Phase.head
    /// The server's tick at which the phase began.
    private(set) var since: Int
    /// Time the server has worked on the current request, in nanoseconds.
    private var worked: Int64 = 0
    /// Monotonic time at which that work last began; zero while the server waits for the client.
    private var workBegin: Int64 = 0

    /// The target of the latest request line.
    var rawTarget: [UInt8] = []
    /// Address of the target's first octet in libmicrohttpd's buffer.
    var targetStart: UnsafePointer<CChar>?
    var request: Request?
    /// The error to respond with once the body is read.
    var refusal: HTTPError?
    /// The response that is ready but not yet passed to libmicrohttpd.
    var outcome: Response?
    var task: Task<Void, Never>?
    /// Delivery of the current streamed body.
    var delivery: BodyDelivery?
    var status: Status?
    /// Whether the connection closes after the current response.
    var isLast = false
    /// The client that a forwarded request counts for; nil when the connection counts instead.
    var countedClient: IPAddress?
    /// Octets reserved for a body over 16 KiB.
    var longBody = 0
    /// Octets of the response that the client has yet to receive.
    var inDelivery = 0
    /// Sequence number of that response, or of its latest piece.
    var deliveryNumber = 0
    /// Whether the route's admission check is still running.
    var isAdmitting = false
    /// Octets of a body that were read and discarded.
    var discarded = 0

    init(_ handle: OpaquePointer, _ credential: TLSCredential?, _ proxies: TrustedProxies, at tick: Int) {
        unsafe self.handle = handle
        self.credential = credential
        let address = unsafe pippin_mhd_peer(handle)
        peer = unsafe address.flatMap { unsafe IPAddress($0) } ?? IPAddress(high: 0, low: 0)
        isOfProxy = proxies.contains(peer)
        since = tick
        unsafe credential?.use(on: handle)
    }

    /// Time the server has worked on the current request, without the time in which it waited for the client.
    var work: Duration { .nanoseconds(worked) }

    var isEncrypted: Bool { credential != nil }
    var head: RequestHead { unsafe RequestHead(handle) }

    /// Whether the rest of the body is discarded, because the response is already decided.
    var isDiscarding: Bool { refusal != nil || outcome != nil }

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

    /// Clears the state of the request that has ended.
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
        isKept = true
        enter(.head, at: tick)
        worked = 0
    }

    /// Whether the server has ended the connection.
    private(set) var isAborted = false

    /// Shuts down the socket; libmicrohttpd detects that and closes the connection.
    func abort() {
        isAborted = true
        let socket = unsafe pippin_mhd_socket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}

/// Numbers of open and refused connections of a process.
public struct ConnectionFigures: Equatable, Sendable {
    public internal(set) var now = 0
    /// The most connections open at a time since the start.
    public internal(set) var peak = 0
    /// The limit of open connections.
    public internal(set) var limit = 0
    /// Connections and forwarded requests refused since the start because their network had reached its limit.
    public internal(set) var refused = 0
    /// The address most recently refused.
    public internal(set) var lastRefused: IPAddress?
    /// How often since the start a connection had to wait because the process had as many as allowed.
    public internal(set) var full = 0
    /// How often since the start the system had no descriptor or no memory for a waiting connection.
    public internal(set) var exhaustions = 0
    /// Octets of responses that clients had yet to receive, as of each loop's last sweep.
    public internal(set) var inDelivery = 0
    /// Connections closed since the start to free memory for other responses.
    public internal(set) var answersGivenUp = 0

    public init() {}
}
