import Core
import Crypto
import Platform
import Postgres

/// An authorization code: opaque, in the form of Apple's codes (a letter, 32 hex digits, `.0.`, a few letters,
/// 22 base64url characters).
///
/// The letters name the time partition of its row.
public struct AuthorizationCode: Sendable {
    let text: String
    public let slot: TimePartition

    init(at moment: Timestamp, random: RandomSource) {
        slot = TimePartition(at: moment)
        text = OpaqueText.make("c", tag: Self.tags[slot.number], random: random)
    }

    /// The code a client sent, or nil when the text does not have the form of a code.
    public init?(_ text: String) {
        guard let tag = OpaqueText.tag(of: text, letter: "c"), let number = Self.tags.firstIndex(of: tag) else {
            return nil
        }
        self.text = text
        slot = TimePartition(number: number)
    }

    /// Whether the text has the form of a code, of this server or of Apple.
    public static func hasForm(_ text: String) -> Bool { OpaqueText.tag(of: text, letter: "c") != nil }

    /// SHA-256 of the code, stored instead of the code.
    public var hash: [UInt8] { SHA256.hash(text) }

    private static let tags = ["mrsq", "mrsw", "mrsx", "mrsy"]
}

/// The form that codes and refresh tokens share.
enum OpaqueText {
    static func make(_ letter: String, tag: String, random: RandomSource) -> String {
        "\(letter)\(Hex.encode(random.bytes(16))).0.\(tag).\(Base64URL.encode(random.bytes(16)))"
    }

    /// The letters that tag a text of this form, or nil for any other text.
    static func tag(of text: String, letter: Unicode.Scalar) -> String? {
        guard text.utf8.count <= 96, text.utf8.first == UInt8(ascii: letter) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count == 33, parts[1] == "0", parts[3].utf8.count == 22 else {
            return nil
        }
        return String(parts[2])
    }
}

/// The grant behind a redeemed code.
struct CodeGrant: Sendable {
    let subject: Subject
    let primaryAppID: ClientID
    let nonce: String?
    let email: SharedEmail?
    let authenticatedAt: Timestamp
    let testSignIn: TestSignInID?
    /// The sign-in trace of the sign-in that issued the code.
    let interactions: TraceID
}

/// The email address shared with an app, as in `id_token`.
public struct SharedEmail: Equatable, Sendable {
    public let address: String
    public let isVerified: Bool
    public let isPrivate: Bool

    public init(address: String, isVerified: Bool, isPrivate: Bool) {
        self.address = address
        self.isVerified = isVerified
        self.isPrivate = isPrivate
    }
}
