import Bytes
import Crypto

/// Where the browser goes on that brought a provider's answer.
///
/// `state` names the trip, and both browsers may know it: the one that began, and the one in which the person approved.
/// The receipt is drawn when the answer comes and told only to the browser that brought it. An answer is given out for
/// both together with the cookie of the browser that began, so only where these are one browser.
public struct ProviderReturn: Sendable {
    public let state: String
    public let receipt: ReturnReceipt

    public init(state: String, receipt: ReturnReceipt) {
        self.state = state
        self.receipt = receipt
    }

    var stateHash: [UInt8] { SHA256.hash(state) }
}

/// 128 random bits as 22 base64url characters; stored as their SHA-256, never logged.
public struct ReturnReceipt: Sendable {
    private static let size = 16

    public let text: String

    init(random: RandomSource) {
        text = Base64URL.encode(random.bytes(Self.size))
    }

    /// Nil for what cannot be a receipt.
    public init?(text: String) {
        guard text.utf8.count == 22, Base64URL.decode(text)?.count == Self.size else { return nil }
        self.text = text
    }

    var hash: [UInt8] { SHA256.hash(text) }
}
