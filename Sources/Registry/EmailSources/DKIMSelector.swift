/// The name under which a domain publishes one of its DKIM keys (RFC 6376 section 3.1).
public struct DKIMSelector: Hashable, Sendable {
    public let text: String

    /// Parses what a person typed: labels of letters, digits, inner hyphens and underscores, joined by dots.
    public init(parsing text: String) throws(Refusal) {
        guard !text.isEmpty else { throw .missing }
        let text = text.lowercased()
        guard !text.hasSuffix("._domainkey"), !text.contains("._domainkey.") else {
            throw .selectorWithDomain(String(text.prefix { $0 != "." }))
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 100, labels.allSatisfy(Self.isLabel) else { throw .selector }
        self.text = text
    }

    /// A selector that was parsed when it was stored.
    init(stored text: String) {
        self.text = text
    }

    private static func isLabel(_ label: Substring.UTF8View.SubSequence) -> Bool {
        (1...63).contains(label.count)
            && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
