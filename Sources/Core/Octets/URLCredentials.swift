/// User and password before the host of a URL that an operator gives: `user:password@`, each percent-encoded or as it is.
///
/// A host contains no `@`, and a user no `:`, so both may contain the characters that a URL has other uses for; only a
/// `%` that begins no escape is ambiguous.
public struct URLCredentials: Equatable, Sendable {
    public let user: String
    public let password: String

    /// Parses the part before the last `@`; nil if it has no password, a `%` that begins no escape, octets that are not
    /// UTF-8, or a control character, which no protocol allows.
    public init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let user = Self.decoded(parts[0]),
            let password = Self.decoded(parts[1])
        else { return nil }
        (self.user, self.password) = (user, password)
    }

    /// Splits what follows the scheme into credentials, if there are any, and the rest, at the last `@`.
    public static func split(_ text: Substring) -> (credentials: Substring?, rest: Substring) {
        guard let end = text.lastIndex(of: "@") else { return (nil, text) }
        return (text[..<end], text[text.index(after: end)...])
    }

    /// Splits a URL with a path and a query at the first `@` after which it is whole, if it is not whole itself.
    ///
    /// - Parameter isWhole: whether a text is hosts, path and query, without credentials.
    /// - Returns: nil if there is no such `@`.
    public static func split(_ text: Substring, where isWhole: (Substring) -> Bool) -> (
        credentials: Substring?, rest: Substring
    )? {
        if isWhole(text) { return (nil, text) }
        for end in text.indices where text[end] == "@" && isWhole(text[text.index(after: end)...]) {
            return (text[..<end], text[text.index(after: end)...])
        }
        return nil
    }

    /// The credentials as a URL has them, with the `@`.
    public var encoded: String { "\(PercentCoding.encode(user)):\(PercentCoding.encode(password))@" }

    private static func decoded(_ text: Substring) -> String? {
        guard let bytes = PercentCoding.decode(text.utf8), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
