import Bytes
public import Domain

/// The end of a team's chain.
///
/// Logged and written into exports: whoever cuts off the newest events and their seals cannot cut it there.
public struct AuditHead: Hashable, Sendable {
    public let team: TeamID
    public let position: Int
    let code: [UInt8]

    /// The code in hexadecimal digits.
    public var codeText: String { Hex.encode(code) }
}
