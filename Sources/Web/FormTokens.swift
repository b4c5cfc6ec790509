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

    /// The token for a form that somebody decides by, about what the browser with that cookie shows them.
    public func token(for secret: String, showing content: String) -> String {
        "\(token(for: secret)).\(token(for: Self.joined(secret, content)))"
    }

    /// Whether `token` belongs to that cookie, and to a form that showed just that.
    public func isValid(_ token: String?, for secret: String, showing content: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret, showing: content)) } ?? false
    }

    /// Whether `token` belongs to that cookie, whatever the form showed.
    func isOfBrowser(_ token: String?, _ secret: String) -> Bool {
        guard let token, token.utf8.count <= 2 * Self.tokenCount + 1 else { return false }
        let parts = token.utf8.split(separator: Self.separator, omittingEmptySubsequences: false)
        let isShaped = parts.count <= 2 && parts.allSatisfy { $0.count == Self.tokenCount }
        return isShaped && isValid(String(decoding: parts[0], as: UTF8.self), for: secret)
    }

    /// Octets of one MAC as it is spelt.
    private static let tokenCount = 24

    private static let separator = UInt8(ascii: ".")

    /// No cookie has a line break.
    private static func joined(_ secret: String, _ content: String) -> String { "\(secret)\n\(content)" }
}
