/// A response body produced while it is sent: whatever its length, one piece of it is in memory.
///
/// The next piece is requested once the client has received the one before. When the client disconnects, no more pieces
/// are requested and the current one is cancelled. An error closes the connection, so that the client detects the
/// incomplete body.
public struct BodyStream: Sendable {
    private let make: @Sendable () async throws -> [UInt8]?

    /// - Parameter next: produces the next piece on the server's loop; nil ends the body.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { make = next }

    /// The next piece that is not empty, or nil at the end.
    func next() async throws -> [UInt8]? {
        while let piece = try await make() { if !piece.isEmpty { return piece } }
        return nil
    }
}
