import Core
public import Platform
public import Postgres

/// Appearance of a team's hosted pages, besides its name and logo.
public struct Branding: Hashable, Sendable {
    /// Pippin's own color when nil.
    public var accent: AccentColour?
    public var privacyURL: LegalURL?
    public var termsURL: LegalURL?

    public init(accent: AccentColour? = nil, privacyURL: LegalURL? = nil, termsURL: LegalURL? = nil) {
        (self.accent, self.privacyURL, self.termsURL) = (accent, privacyURL, termsURL)
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        accent = try row.next()
        privacyURL = try row.next()
        termsURL = try row.next()
    }

    /// The members as JSON, for the audit log.
    var json: [String: JSONValue] {
        [
            "accentColour": accent.map { .string($0.rawValue) } ?? .null,
            "privacyURL": privacyURL.map { .string($0.rawValue) } ?? .null,
            "termsURL": termsURL.map { .string($0.rawValue) } ?? .null,
        ]
    }
}

/// Address of a team's privacy policy or terms: an absolute `https` URL.
///
/// Only the browsers of users open it, so of its host only the presence is checked.
public struct LegalURL: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 2048

    public let rawValue: String

    public init?(rawValue: String) {
        let rest = rawValue.utf8.dropFirst("https://".utf8.count)
        guard rawValue.hasPrefix("https://"), rawValue.utf8.count <= Self.maximumLength, let first = rest.first,
            first != UInt8(ascii: "/"), first != UInt8(ascii: "?"),
            rest.prefix(while: { $0 != UInt8(ascii: "/") }).allSatisfy({ $0 != UInt8(ascii: "@") }),
            rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
