public import Postgres

/// A domain or an address from which a team may send mail to users who hide their address.
public struct EmailSource: Hashable, Sendable {
    public enum Kind: String, SQLText {
        case domain
        case address
    }

    public let kind: Kind
    /// In lower case, so that a source has one spelling.
    public let text: String

    /// All addresses of a domain.
    public init(domain text: String) throws(ValidationError) {
        self.init(kind: .domain, stored: try DomainName(parsing: text, policy: .hostNames).text)
    }

    /// One address: a dot-atom (RFC 5322 section 3.2.3) of at most 64 octets (RFC 5321 section 4.5.3.1) at a domain.
    public init(address text: String) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard text.utf8.count <= 254 else { throw .tooLong(limit: 254) }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isDotAtom(parts[0]), case .name? = try? Host(String(parts[1])) else {
            throw .emailAddress
        }
        self.init(kind: .address, stored: text.lowercased())
    }

    /// An address when the text contains an @, else a domain.
    public init(parsing text: String) throws(ValidationError) {
        if text.utf8.contains(UInt8(ascii: "@")) { try self.init(address: text) } else { try self.init(domain: text) }
    }

    /// A stored source, which was parsed before.
    init(kind: Kind, stored text: String) {
        self.kind = kind
        self.text = text
    }

    /// The domain whose DNS records authenticate mail from the source.
    public var domain: String { text.firstIndex(of: "@").map { String(text[$0...].dropFirst()) } ?? text }

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
