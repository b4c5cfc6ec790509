import Core
import Crypto

/// Position at which the browser that delivered a provider's answer continues.
///
/// `state` identifies the upstream request, and is known both to the browser that began it and to the one in which the
/// user approved. The receipt is drawn when the answer arrives, and is sent only to the browser that delivered it. An
/// answer is released only for both, together with the cookie of the browser that began: only if these are one browser.
public struct UpstreamReturn: Sendable {
    public let state: String
    public let receipt: ReturnReceipt

    public init(state: String, receipt: ReturnReceipt) {
        self.state = state
        self.receipt = receipt
    }

    var stateHash: [UInt8] { SHA256.hash(state) }
}

/// Receipt of a provider's answer: 128 random bits as 22 base64url characters; stored as its SHA-256, never logged.
public struct ReturnReceipt: Sendable {
    private static let size = 16

    public let text: String

    init(random: RandomSource) { text = Base64URL.encode(random.bytes(Self.size)) }

    /// Nil if `text` does not have the form of a receipt.
    public init?(text: String) {
        guard text.utf8.count == 22, Base64URL.decode(text)?.count == Self.size else { return nil }
        self.text = text
    }

    var hash: [UInt8] { SHA256.hash(text) }
}
