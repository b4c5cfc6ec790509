public import Postgres

/// From where a team may write to people who hid their address: a domain, or one address.
public struct EmailSource: Hashable, Sendable {
    public enum Kind: String, SQLText {
        case domain
        case address
    }

    public let kind: Kind
    /// In lower case, so that a source has one spelling.
    public let text: String

    /// A domain and everything written from it.
    public init(domain text: String) throws(Refusal) {
        self.init(kind: .domain, stored: try DomainName(parsing: text, policy: .hostNames).text)
    }

    /// One address: an atom of RFC 5322 section 3.2.3 before the @, at most 64 octets (RFC 5321 section 4.5.3.1), and
    /// a domain behind it.
    public init(address text: String) throws(Refusal) {
        guard !text.isEmpty else { throw .missing }
        guard text.utf8.count <= 254 else { throw .tooLong(limit: 254) }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isDotAtom(parts[0]), case .name? = try? Host(String(parts[1])) else {
            throw .emailAddress
        }
        self.init(kind: .address, stored: text.lowercased())
    }

    /// A domain, or an address when there is an @ in it.
    public init(parsing text: String) throws(Refusal) {
        if text.utf8.contains(UInt8(ascii: "@")) {
            try self.init(address: text)
        } else {
            try self.init(domain: text)
        }
    }

    /// A source that was parsed when it was stored.
    init(kind: Kind, stored text: String) {
        self.kind = kind
        self.text = text
    }

    /// Whose records decide whether mail from there is believed.
    public var domain: String {
        text.firstIndex(of: "@").map { String(text[$0...].dropFirst()) } ?? text
    }

    private static func isDotAtom(_ text: Substring) -> Bool {
        let atoms = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 64
            && atoms.allSatisfy { atom in
                !atom.isEmpty
                    && atom.allSatisfy { octet in
                        switch octet {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"):
                            true
                        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(octet)
                        }
                    }
            }
    }
}
