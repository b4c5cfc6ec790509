/// A body that is made while it is sent: whatever its length, one piece of it is in memory.
///
/// The next piece is asked for once the client has taken the one before. When the client is gone nothing is asked
/// for any more, and a piece under way is cancelled. An error cuts the connection, so that the client sees that the
/// body is not whole.
public struct BodyStream: Sendable {
    private let make: @Sendable () async throws -> [UInt8]?

    /// - Parameter next: makes the next piece on the server's loop; nil ends the body.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) {
        make = next
    }

    /// The next piece that holds something, or nil at the end.
    func next() async throws -> [UInt8]? {
        while let piece = try await make() {
            if !piece.isEmpty { return piece }
        }
        return nil
    }
}
