import Core
import Platform
import Postgres

/// Name under which a domain publishes one of its DKIM keys (RFC 6376 section 3.1).
public struct DKIMSelector: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// Parses the user's text: labels of letters, digits, inner hyphens and underscores, joined by dots.
    public init(parsing text: String) throws(ValidationError) {
        guard !text.utf8.isEmpty else { throw .missing }
        // A pasted full record name includes the domain, so it may have the length of a DNS name.
        guard text.utf8.count <= 253 else { throw .selector }
        let text = text.lowercasedASCII
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.dropFirst().contains(where: { $0.elementsEqual("_domainkey".utf8) }) {
            throw .selectorWithDomain(String(labels[0]) ?? "")
        }
        guard text.utf8.count <= 100, labels.allSatisfy(Self.isLabel) else { throw .selector }
        self.text = text
    }

    /// A stored selector, which was parsed before.
    init(stored text: String) { self.text = text }

    private static func isLabel(_ label: Substring.UTF8View.SubSequence) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
    }
}
