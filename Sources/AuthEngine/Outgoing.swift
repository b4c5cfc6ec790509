public import EventLoop
public import HTTPClient

/// Calls to other servers from one loop, apart by who names the address.
///
/// A client has so many connections, and whoever comes later waits for one. Servers that take a connection and never
/// answer are met where teams name them, and there they hold up nobody's sign-in at Apple and no mail. Checks ask many
/// such servers at a time, and notices have a deadline of their own: neither waits for the other.
public struct Outgoing: Sendable {
    /// Calls to Apple for a team that are under way at a time.
    static let applePlaces = 64
    /// Checks that are under way at a time.
    static let checkPlaces = HTTPClient.Options().connectionLimit

    /// For Apple alone, or the stand-in in its place; teams take turns there.
    public let apple: HTTPClient
    /// For what teams register and have checked, their domains and return URLs; teams take turns there.
    public let checks: HTTPClient
    /// For the notification endpoints of teams.
    public let notices: HTTPClient
    /// For what the operator names: the server for mail, the address of this installation.
    public let house: HTTPClient

    /// Makes the clients of a loop; to be called there.
    public init(on loop: EventLoop) throws(ClientFailure) {
        apple = try HTTPClient(on: loop, Self.appleOptions)
        checks = try HTTPClient(on: loop, Self.checkOptions)
        notices = try HTTPClient(on: loop)
        house = try HTTPClient(on: loop)
    }

    /// Calls that have their turn wait for no connection: there is one for each, and some for what is asked for all
    /// teams, such as Apple's keys.
    private static var appleOptions: HTTPClient.Options {
        var options = HTTPClient.Options()
        options.places = applePlaces
        options.connectionsPerHost = applePlaces + 16
        options.connectionLimit = applePlaces + 64
        return options
    }

    private static var checkOptions: HTTPClient.Options {
        var options = HTTPClient.Options()
        options.places = checkPlaces
        return options
    }

    /// Ends every call; to be called on the loop, before that is stopped.
    public func close() {
        for client in [apple, checks, notices, house] { client.close() }
    }
}
