import Core
import Crypto

/// An authorization code: opaque, in the form of Apple's codes (a letter, 32 hex digits, `.0.`, a few letters,
/// 22 base64url characters).
///
/// The letters name the time partition of its row.
public struct AuthorizationCode: Sendable {
    let text: String
    public let timePartition: TimePartition

    init(at moment: Timestamp, random: RandomSource) {
        timePartition = TimePartition(at: moment)
        text = OpaqueText.make("c", tag: Self.tags[timePartition.number], random: random)
    }

    /// The code a client sent, or nil when the text does not have the form of a code.
    public init?(_ text: String) {
        guard let tag = OpaqueText.tag(of: text, letter: "c"), let number = Self.tags.firstIndex(of: tag) else {
            return nil
        }
        self.text = text
        timePartition = TimePartition(number: number)
    }

    /// Whether the text has the form of a code, of this server or of Apple.
    public static func hasForm(_ text: String) -> Bool { OpaqueText.tag(of: text, letter: "c") != nil }

    /// SHA-256 of the code, stored instead of the code.
    public var hash: [UInt8] { SHA256.hash(text) }

    private static let tags = ["mrsq", "mrsw", "mrsx", "mrsy"]
}
