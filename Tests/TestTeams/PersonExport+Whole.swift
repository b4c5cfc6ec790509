import Accounts

extension PersonExport {
    /// The pieces of the document, one after the other.
    func pieces() async throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try await next() { pieces.append(piece) }
        return pieces
    }

    func whole() async throws -> [UInt8] { Array(try await pieces().joined()) }
}
