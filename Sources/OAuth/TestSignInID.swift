import Core
public import Crypto
public import Postgres

/// The id of a test sign-in: 22 random base64url characters.
public struct TestSignInID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 22, Base64URL.decode(rawValue)?.count == 16 else { return nil }
        self.rawValue = rawValue
    }

    public init(random: RandomSource) { rawValue = Base64URL.encode(random.bytes(16)) }

    /// The test sign-in that a return URL belongs to: `…/test-sign-ins/{id}/callback`.
    init?(returnURL: String) {
        let segments = returnURL.split(separator: "/")
        guard segments.count >= 3, segments.last == "callback", segments[segments.count - 3] == "test-sign-ins" else {
            return nil
        }
        self.init(rawValue: String(segments[segments.count - 2]))
    }
}
