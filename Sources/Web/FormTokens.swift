import Bytes
public import Crypto

/// The tokens in forms that prove a page of ours sent them: a MAC over a secret that only the browser's cookie has.
public struct FormTokens: Sendable {
    private let code: HMACSHA256

    public init(keyRing: KeyRing) {
        code = HMACSHA256(key: keyRing.derive(purpose: "form-tokens"))
    }

    /// The token for forms shown to the browser with that cookie.
    public func token(for secret: String) -> String {
        Base64URL.encode(code.code(for: Array(secret.utf8)).prefix(18))
    }

    /// Whether `token` belongs to that cookie.
    public func isValid(_ token: String?, for secret: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret)) } ?? false
    }
}
