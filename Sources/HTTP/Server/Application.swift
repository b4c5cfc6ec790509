/// The application a server runs: its routes, its error responses, and hooks for started and finished requests.
public struct Application: Sendable {
    public var routes: RoutingTable
    /// Makes the response to an error, as a page or as JSON, with the fields every response carries.
    ///
    /// The server adds `Allow` to a 405 and `Retry-After` to a 503 when they are missing. It must not block.
    public var decorate: @Sendable (HTTPError, Request) -> Response
    /// Called when the head of a request is complete and its route is known; `finished` always follows, and may be
    /// called without it.
    ///
    /// It must not block.
    public var started: (@Sendable (Request) -> Void)?
    /// Called when a response was sent or could not be sent, for logs and metrics.
    ///
    /// It must not block.
    public var finished: (@Sendable (FinishedRequest) -> Void)?

    public init(
        routes: RoutingTable,
        decorate: @escaping @Sendable (HTTPError, Request) -> Response = { refusal, _ in refusal.response },
        started: (@Sendable (Request) -> Void)? = nil, finished: (@Sendable (FinishedRequest) -> Void)? = nil
    ) {
        self.routes = routes
        self.decorate = decorate
        self.started = started
        self.finished = finished
    }
}
