public import Core
import Platform
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
        let isAllowed = { (octet: UInt8) in
            octet.isASCIILetter || octet.isASCIIDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(octet)
        }
        return text.utf8.count <= 64 && atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAllowed) }
    }
}

extension EmailSource {
    /// Field values of an e-mail source as the user entered them.
    public struct Input: Sendable {
        public var source: String
        /// The DKIM selectors that sign mail from the source.
        public var selectors: [String]

        public init(source: String, selectors: [String] = []) {
            self.source = source
            self.selectors = selectors
        }
    }

    /// Validated values of an e-mail source, ready to be saved.
    public struct Draft: Hashable, Sendable {
        public let source: EmailSource
        public let selectors: [DKIMSelector]

        public init(source: EmailSource, selectors: [DKIMSelector] = []) {
            self.source = source
            self.selectors = selectors
        }

        /// - Throws: `FieldErrors` with every error of the input.
        public init(parsing input: Input) throws(FieldErrors) {
            var errors = FieldErrors()
            let source = errors.check("source", try EmailSource(parsing: input.source))
            let selectors = errors.checkEach("selectors", of: input.selectors, atMost: .selectors) {
                text throws(ValidationError) in try DKIMSelector(parsing: text)
            }
            guard let source, errors.isEmpty else { throw errors }
            self.init(source: source, selectors: selectors)
        }

        var auditedMembers: AuditedMembers {
            ["kind": .string(source.kind.rawValue), "selectors": .array(selectors.map { .string($0.text) })]
        }
    }
}

/// An e-mail source as stored.
public struct RegisteredEmailSource: Hashable, Sendable {
    public let source: EmailSource
    public let selectors: [DKIMSelector]
    /// Its records as of the last check; records that were never looked up are pending.
    public let records: [MailRecord]
    public let checkedAt: Timestamp?
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// Its editable values.
    public var draft: EmailSource.Draft { EmailSource.Draft(source: source, selectors: selectors) }

    /// The worst state of all records; pending only when none is wrong or missing.
    public var state: MailRecord.State {
        let states = records.map(\.state)
        return [MailRecord.State.wrong, .missing, .pending].first(where: states.contains) ?? .ok
    }

    /// The required records, in the state before the first check.
    var wantedRecords: [MailRecord] { Self.wanted(source, selectors) }

    /// Reads `EmailSourceStore.columns` or `EmailSourceStore.listed`.
    init(_ row: inout Row) throws(PostgresFailure) {
        let kind: EmailSource.Kind = try row.next()
        source = EmailSource(kind: kind, stored: try row.next())
        selectors = try row.next([String].self).map(DKIMSelector.init(stored:))
        version = try row.next()
        createdAt = try row.next()
        checkedAt = try row.next()
        let json: String = try row.next()
        let found = (try? JSON.decode([MailRecord].self, from: Array(json.utf8))) ?? []
        records = Self.wanted(source, selectors).map { wanted in
            found.first { $0.name == wanted.name && $0.kind == wanted.kind } ?? wanted
        }
    }

    private static func wanted(_ source: EmailSource, _ selectors: [DKIMSelector]) -> [MailRecord] {
        [.pending(.spf, source.domain)] + selectors.map { .pending(.dkim, "\($0.text)._domainkey.\(source.domain)") }
    }
}
