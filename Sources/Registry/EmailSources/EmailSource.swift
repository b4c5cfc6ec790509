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

    /// All addresses of a domain, or one address: a dot-atom (RFC 5322 section 3.2.3) of at most 64 octets
    /// (RFC 5321 section 4.5.3.1) at a domain.
    public init(_ kind: Kind, parsing text: String) throws(ValidationError) {
        guard kind == .address else {
            self.init(kind: .domain, stored: try DomainName(parsing: text, policy: .hostNames).text)
            return
        }
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
        try self.init(text.utf8.contains(UInt8(ascii: "@")) ? .address : .domain, parsing: text)
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
    /// What can be changed of it.
    public struct Settings: DeclaredSettings {
        /// The DKIM selectors that sign mail from the source.
        public var selectors: [DKIMSelector] = []

        public init() {}

        public static let all: [Setting<Self>] = [
            .list("selectors", \.selectors, atMost: Quota.selectors.count) { text, _ throws(ValidationError) in
                try DKIMSelector(parsing: text)
            }
        ]
    }

    /// An email source to be saved.
    public struct Draft: Hashable, Sendable {
        public let source: EmailSource
        public let settings: Settings

        public init(source: EmailSource, settings: Settings = Settings()) {
            (self.source, self.settings) = (source, settings)
        }

        /// - Throws: `FieldErrors` with every error of the source and the settings.
        public init(_ source: String, _ typed: Typed) throws(FieldErrors) {
            var errors = FieldErrors()
            let source = errors.check("source", try EmailSource(parsing: source))
            let settings = errors.collect(under: .whole, try Settings(typed, policy: .hostNames))
            guard let source, let settings else { throw errors }
            self.init(source: source, settings: settings)
        }

        var auditedMembers: AuditedMembers { settings.typed.merging(["kind": .string(source.kind.rawValue)]) { $1 } }
    }
}

/// An email source as stored.
public struct RegisteredEmailSource: Hashable, Sendable {
    public let source: EmailSource
    public let settings: EmailSource.Settings
    /// Its records as of the last check; records that were never looked up are pending.
    public let records: [MailRecord]
    public let checkedAt: Timestamp?
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    public var draft: EmailSource.Draft { EmailSource.Draft(source: source, settings: settings) }

    /// The worst state of all records; pending only when none is wrong or missing.
    public var state: MailRecord.State {
        let states = records.map(\.state)
        return [MailRecord.State.wrong, .missing, .pending].first(where: states.contains) ?? .ok
    }

    /// The required records, in the state before the first check.
    var wantedRecords: [MailRecord] { Self.wanted(draft) }

    /// Reads `EmailSourceStore.columns` or `EmailSourceStore.listed`.
    init(_ row: inout Row) throws(PostgresFailure) {
        let kind: EmailSource.Kind = try row.next()
        source = EmailSource(kind: kind, stored: try row.next())
        var settings = EmailSource.Settings()
        settings.selectors = try row.next([String].self).map(DKIMSelector.init(stored:))
        self.settings = settings
        version = try row.next()
        createdAt = try row.next()
        checkedAt = try row.next()
        let json: String = try row.next()
        let found = (try? JSON.decode([MailRecord].self, from: Array(json.utf8))) ?? []
        records = Self.wanted(EmailSource.Draft(source: source, settings: settings)).map { wanted in
            found.first { $0.name == wanted.name && $0.kind == wanted.kind } ?? wanted
        }
    }

    private static func wanted(_ draft: EmailSource.Draft) -> [MailRecord] {
        let domain = draft.source.domain
        return [.pending(.spf, domain)]
            + draft.settings.selectors.map { .pending(.dkim, "\($0.text)._domainkey.\(domain)") }
    }
}
