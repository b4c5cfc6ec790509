public import EventLoop
public import HTTP

/// The HTTP clients of one loop for calls to other servers, separated by who configures the address.
///
/// A client has a limited number of connections, and further calls wait. Servers that accept a connection but never
/// respond occur among addresses configured by teams; separate clients keep these from delaying sign-ins at Apple.
/// Checks call many such servers at once, and notifications have their own deadline, so they are separate too.
public struct Outgoing: Sendable {
    /// Most concurrent calls to Apple on behalf of teams.
    static let applePlaces = 64
    /// Most concurrent checks.
    static let checkPlaces = HTTPClient.Options().connectionLimit

    /// For Apple alone, or the simulator in its place; calls are scheduled fairly among teams.
    public let apple: HTTPClient
    /// For checks of the domains and return URLs that teams register; calls are scheduled fairly among teams.
    public let checks: HTTPClient
    /// For the notification endpoints of teams.
    public let notifications: HTTPClient
    /// For this installation's own address.
    public let installation: HTTPClient

    /// Makes the clients of a loop; call it on that loop.
    ///
    /// - Parameters:
    ///   - checks: a client for addresses that teams register; the caller closes it.
    ///   - notifications: a client for the notification endpoints of teams; the caller closes it.
    ///   - gate: closed where Apple is not called.
    ///   - proxy: the proxy that all calls but those to this machine take; nil for none.
    ///   - deadline: the time limit of every call of the loop's own clients; nil for that of each call.
    public init(
        on loop: EventLoop, checks: HTTPClient, notifications: HTTPClient, gate: OutgoingGate? = nil,
        proxy: OutgoingProxy? = nil, deadline: Duration? = nil
    ) throws(ClientFailure) {
        var (appleOptions, options) = (Self.appleOptions, HTTPClient.Options())
        (appleOptions.deadline, options.deadline) = (deadline, deadline)
        (appleOptions.proxy, options.proxy, appleOptions.gate) = (proxy, proxy, gate)
        apple = try HTTPClient(on: loop, appleOptions)
        installation = try HTTPClient(on: loop, options)
        (self.checks, self.notifications) = (checks, notifications)
    }

    /// One connection for each scheduled call, so that none waits, and spare ones for calls on behalf of all teams,
    /// such as fetching Apple's keys.
    private static var appleOptions: HTTPClient.Options {
        var options = HTTPClient.Options()
        options.places = applePlaces
        options.connectionsPerHost = applePlaces + 16
        options.connectionLimit = applePlaces + 64
        return options
    }

    static func checkOptions(_ proxy: OutgoingProxy? = nil) -> HTTPClient.Options {
        var options = HTTPClient.Options()
        (options.places, options.proxy) = (checkPlaces, proxy)
        return options
    }

    /// Ends all calls of the loop's own clients; call it on that loop before it stops.
    public func close() { for client in [apple, installation] { client.close() } }
}
