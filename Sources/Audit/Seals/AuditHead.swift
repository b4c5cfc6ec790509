import Bytes
public import Domain

/// The end of a team's chain.
///
/// Logged and written into exports: whoever cuts off the newest events and their seals cannot cut it there.
public struct AuditHead: Hashable, Sendable {
    public let team: TeamID
    public let position: Int
    let code: [UInt8]

    /// The code in hexadecimal digits, in groups of sixteen with hyphens between: in one piece it would look like the
    /// secret of a master key, which the log withholds.
    public var codeText: String {
        stride(from: 0, to: code.count, by: Self.groupSize)
            .map { Hex.encode(Array(code[$0..<min($0 + Self.groupSize, code.count)])) }
            .joined(separator: "-")
    }

    /// Octets of the code to a group of its text.
    private static let groupSize = 8

    /// Position and code, as `pippin audit verify --head` takes them.
    public var text: String { "\(position):\(codeText)" }
}
