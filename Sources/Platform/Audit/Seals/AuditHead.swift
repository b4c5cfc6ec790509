import Core

/// The last position of a team's seal chain and its code.
///
/// Logged and written into exports, so that deleting the newest events with their seals can be detected there.
public struct AuditHead: Hashable, Sendable {
    public let team: TeamID
    public let position: Int
    let code: [UInt8]

    /// The code in hexadecimal digits, in groups of sixteen joined by hyphens, because the log redacts an unbroken run
    /// as the secret of a master key.
    public var codeText: String {
        stride(from: 0, to: code.count, by: Self.groupSize).map {
            Hex.encode(Array(code[$0..<min($0 + Self.groupSize, code.count)]))
        }.joined(separator: "-")
    }

    /// Octets of the code per group of `codeText`.
    private static let groupSize = 8

    /// Position and code in the form that `pippin audit verify --head` accepts.
    public var text: String { "\(position):\(codeText)" }
}
