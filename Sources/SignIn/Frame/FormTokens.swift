import Core
public import Crypto

/// Tokens against cross-site request forgery: a MAC over a secret that only the browser's cookie has.
public struct FormTokens: Sendable {
    private let code: HMACSHA256

    public init(keyRing: KeyRing) { code = HMACSHA256(key: keyRing.derive(purpose: "form-tokens")) }

    /// Returns the token for forms sent to the browser with this cookie secret.
    public func token(for secret: String) -> String { Base64URL.encode(code.code(for: Array(secret.utf8)).prefix(18)) }

    /// Whether `token` belongs to this cookie secret.
    public func isValid(_ token: String?, for secret: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret)) } ?? false
    }

    /// Returns the token for a form in which the user decides about the content it shows, such as a consent.
    public func token(for secret: String, showing content: String) -> String {
        "\(token(for: secret)).\(token(for: Self.joined(secret, content)))"
    }

    /// Whether `token` belongs to this cookie secret and to a form that showed exactly `content`.
    public func isValid(_ token: String?, for secret: String, showing content: String) -> Bool {
        token.map { ConstantTime.equal($0, self.token(for: secret, showing: content)) } ?? false
    }

    /// Whether `token` belongs to this cookie secret, with or without shown content, which is not checked.
    func isOfBrowser(_ token: String?, _ secret: String) -> Bool {
        guard let token, token.utf8.count <= 2 * Self.tokenCount + 1 else { return false }
        let parts = token.utf8.split(separator: Self.separator, omittingEmptySubsequences: false)
        let isShaped = parts.count <= 2 && parts.allSatisfy { $0.count == Self.tokenCount }
        return isShaped && isValid(String(decoding: parts[0], as: UTF8.self), for: secret)
    }

    /// Length of an encoded MAC, in bytes.
    private static let tokenCount = 24

    private static let separator = UInt8(ascii: ".")

    /// Joins with a line break, which no cookie value contains.
    private static func joined(_ secret: String, _ content: String) -> String { "\(secret)\n\(content)" }
}
