import EventLoop
public import HTTP

/// HTTP clients for addresses that teams name, on two threads of their own with low priority.
///
/// Responses are parsed by libraries, including that for TLS. These threads serve no requests, and checks and
/// notifications do not delay each other.
public final class UnauthenticatedCalls: Sendable {
    /// For checks of the domains and return URLs that teams register.
    public let checks: HTTPClient
    /// For the notification endpoints of teams.
    public let notifications: HTTPClient
    private let loops: [EventLoop]

    /// Starts the threads; must not be called on a loop that serves requests.
    ///
    /// - Parameter gate: closed where nobody is notified.
    public init(through proxy: OutgoingProxy? = nil, gate: OutgoingGate? = nil) throws {
        let (checking, notifying) = (try EventLoop(name: "checks"), try EventLoop(name: "notifications"))
        loops = [checking, notifying]
        for loop in loops { try loop.start(priority: .low) }
        var options = HTTPClient.Options()
        (options.proxy, options.gate) = (proxy, gate)
        checks = try checking.wait { try HTTPClient(on: checking, Outgoing.checkOptions(proxy)) }
        notifications = try notifying.wait { [options] in try HTTPClient(on: notifying, options) }
    }

    /// Ends all calls; the threads remain until the process ends.
    public func close() {
        for (loop, client) in zip(loops, [checks, notifications]) { loop.execute { client.close() } }
    }
}
