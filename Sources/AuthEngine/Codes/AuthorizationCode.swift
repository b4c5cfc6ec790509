import Bytes
import Crypto
import Domain
import Postgres

/// A code on its way to an app: opaque, in the shape Apple's have (a letter, 32 hex digits, `.0.`, a few
/// letters, 22 base64url characters).
///
/// The letters name the slot it lies in.
struct AuthorizationCode: Sendable {
    let text: String
    let slot: Slot

    init(at moment: Timestamp, random: RandomSource) {
        slot = Slot(at: moment)
        text = OpaqueText.make("c", tag: Self.tags[slot.number], random: random)
    }

    /// The code a client sent, or nil when it cannot be one of ours.
    init?(_ text: String) {
        guard let tag = OpaqueText.tag(of: text, letter: "c"), let number = Self.tags.firstIndex(of: tag)
        else { return nil }
        self.text = text
        slot = Slot(number: number)
    }

    /// What is stored in its place.
    var hash: [UInt8] { SHA256.hash(text) }

    private static let tags = ["mrsq", "mrsw", "mrsx", "mrsy"]
}

/// The shape codes and refresh tokens share.
enum OpaqueText {
    static func make(_ letter: String, tag: String, random: RandomSource) -> String {
        "\(letter)\(Hex.encode(random.bytes(16))).0.\(tag).\(Base64URL.encode(random.bytes(16)))"
    }

    /// The letters of a text of that shape, or nil.
    static func tag(of text: String, letter: Unicode.Scalar) -> String? {
        guard text.utf8.count <= 96, text.utf8.first == UInt8(ascii: letter) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count == 33, parts[1] == "0", parts[3].utf8.count == 22 else {
            return nil
        }
        return String(parts[2])
    }
}

/// What a code stands for, once it is redeemed.
struct CodeGrant: Sendable {
    let subject: Subject
    let group: ClientID
    let nonce: String?
    let email: SharedEmail?
    let authenticatedAt: Timestamp
    let trial: TrialID?
    /// The sign-in it came from.
    let flow: FlowID
}

/// The address an app is told, as `id_token` states it.
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
