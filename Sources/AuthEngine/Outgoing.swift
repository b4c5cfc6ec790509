public import EventLoop
public import HTTPClient

/// Calls to other servers from one loop, apart by who names the address.
///
/// A client has so many connections, and whoever comes later waits for one. Servers that take a connection and never
/// answer are met where teams name them, and there they hold up nobody's sign-in at Apple and no mail.
public struct Outgoing: Sendable {
    /// For Apple alone, or the stand-in in its place.
    public let apple: HTTPClient
    /// For addresses that teams name: their domains, return URLs and notification endpoints.
    public let teams: HTTPClient
    /// For what the operator names: the server for mail, the address of this installation.
    public let house: HTTPClient

    /// Makes the clients of a loop; to be called there.
    public init(on loop: EventLoop) throws(ClientFailure) {
        apple = try HTTPClient(on: loop)
        teams = try HTTPClient(on: loop)
        house = try HTTPClient(on: loop)
    }

    /// Ends every call; to be called on the loop, before that is stopped.
    public func close() {
        for client in [apple, teams, house] { client.close() }
    }
}
