/// What a server serves: its routes, the look of its refusals, and who hears of finished requests.
public struct Application: Sendable {
    public var routes: RoutingTable
    /// Makes the answer to a refusal, as a page or as JSON, with the fields every answer carries.
    ///
    /// `Allow` of a 405 and `Retry-After` of a 503 are added where it leaves them out. It must not wait.
    public var dress: @Sendable (Refusal, Request) -> Response
    /// Called when the head of a request is there and its route is known; `finished` follows in every case, and may come
    /// without it.
    ///
    /// It must not wait.
    public var started: (@Sendable (Request) -> Void)?
    /// Called when an answer was sent or could not be, for logs and figures.
    ///
    /// It must not wait.
    public var finished: (@Sendable (FinishedRequest) -> Void)?

    public init(
        routes: RoutingTable,
        dress: @escaping @Sendable (Refusal, Request) -> Response = { refusal, _ in refusal.response },
        started: (@Sendable (Request) -> Void)? = nil,
        finished: (@Sendable (FinishedRequest) -> Void)? = nil
    ) {
        self.routes = routes
        self.dress = dress
        self.started = started
        self.finished = finished
    }
}

/// A request at its end.
///
/// The header fields can be asked while the hook runs, not later.
public struct FinishedRequest: Sendable {
    public let request: Request
    /// The status answered, or nil when the client was gone before.
    public let status: Status?
    /// From its head to its end.
    public let duration: Duration
    /// What of it the server took: nothing of the time in which its client sent the body or took the answer.
    public let work: Duration
    /// Whether the whole answer was handed to the system.
    public let wasSent: Bool
}
