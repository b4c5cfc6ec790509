public import HTTP

/// A DNS record required for mail from an email source, with the result of its lookup.
public struct MailRecord: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// The SPF record: the servers that may send mail.
        case spf
        /// The key of one DKIM selector.
        case dkim
    }

    public enum State: String, CaseIterable, Sendable, Codable {
        /// Not known: never looked up, or the name servers did not answer.
        case pending
        case ok
        case missing
        case wrong
    }

    /// Reason why the record is not in order.
    public enum Fault: String, Sendable, Codable {
        /// The name servers did not answer; `detail` is the reason.
        case notAnswered
        /// Several records where only one is allowed.
        case several
        /// A part that violates the grammar; `detail` is the part.
        case syntax
        /// The SPF record allows every server to send.
        case allowsEveryone
        /// The DKIM record has another version.
        case version
        /// The DKIM key has a type that receivers do not support; `detail` is the type.
        case keyType
        /// The DKIM key is missing or unreadable.
        case key
        /// The DKIM key was revoked.
        case revoked
    }

    public let kind: Kind
    /// DNS name of the record, without a trailing dot.
    public let name: String
    public let state: State
    public let fault: Fault?
    public let detail: String?
    /// The texts found, unchanged: only the first few of many, and none in a list of sources.
    public let seen: [String]
    /// The text to publish, if it can be derived.
    public let advice: String?

    init(
        _ kind: Kind, _ name: String, _ state: State, fault: Fault? = nil, detail: String? = nil, seen: [String] = [],
        advice: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.state = state
        self.fault = fault
        self.detail = detail
        self.seen = seen
        self.advice = advice
    }
}

extension MailRecord {
    /// The record before its first lookup.
    static func pending(_ kind: Kind, _ name: String) -> MailRecord {
        MailRecord(kind, name, .pending, advice: kind == .spf ? SPFRecord.first : nil)
    }

    /// Maximum number of texts kept per record, and their octets: enough for two of the longest that a check reads.
    private static let (mostTexts, mostOctets) = (10, 4096)

    /// The first texts within these limits, because a team's name server may answer with thousands.
    private static func kept(_ texts: [String]) -> [String] {
        var octets = 0
        let kept = texts.prefix(mostTexts).prefix { text in
            octets += text.utf8.count
            return octets <= mostOctets
        }
        return Array(kept)
    }

    /// Evaluates the TXT records of a domain: exactly one must be its SPF record.
    static func spf(_ name: String, in texts: [String]) -> MailRecord {
        let meant = texts.filter(SPFRecord.isMeant)
        guard let text = meant.first else { return MailRecord(.spf, name, .missing, advice: SPFRecord.first) }
        let seen = kept(meant)
        guard meant.count == 1 else {
            let parsed = seen.compactMap { try? SPFRecord(parsing: $0) }
            let advice = parsed.count == meant.count ? SPFRecord.joined(parsed) : nil
            return MailRecord(.spf, name, .wrong, fault: .several, seen: seen, advice: advice)
        }
        do throws(SPFRecord.Fault) {
            _ = try SPFRecord(parsing: text)
            return MailRecord(.spf, name, .ok, seen: seen)
        } catch {
            switch error {
            case .term(let part), .twice(let part):
                return MailRecord(.spf, name, .wrong, fault: .syntax, detail: part, seen: seen)
            case .allowsEveryone:
                let advice = SPFRecord.closed(text)
                return MailRecord(.spf, name, .wrong, fault: .allowsEveryone, seen: seen, advice: advice)
            }
        }
    }

    /// Evaluates the TXT records at the name of a DKIM selector: there must be exactly one, with a key.
    static func dkim(_ name: String, in texts: [String]) -> MailRecord {
        guard let text = texts.first else { return MailRecord(.dkim, name, .missing) }
        let seen = kept(texts)
        guard texts.count == 1 else { return MailRecord(.dkim, name, .wrong, fault: .several, seen: seen) }
        do throws(DKIMRecord.Fault) {
            try DKIMRecord.check(text)
            return MailRecord(.dkim, name, .ok, seen: seen)
        } catch {
            let (fault, detail): (Fault, String?) =
                switch error {
                case .tag(let tag): (.syntax, tag)
                case .version: (.version, nil)
                case .keyType(let type): (.keyType, type)
                case .key: (.key, nil)
                case .revoked: (.revoked, nil)
                }
            return MailRecord(.dkim, name, .wrong, fault: fault, detail: detail, seen: seen)
        }
    }
}

/// DNS lookup of the records required for mail from an email source.
public struct MailRecordCheck: Sendable {
    private let resolver: Resolver
    private let deadline: Duration

    public init(_ resolver: Resolver, deadline: Duration = .seconds(8)) {
        self.resolver = resolver
        self.deadline = deadline
    }

    /// Looks up every record of the source, the SPF record first; must be called on the resolver's loop.
    public func run(_ source: RegisteredEmailSource) async -> [MailRecord] {
        let wanted = source.wantedRecords
        return await withTaskGroup(of: (Int, MailRecord).self) { group in
            for (index, record) in wanted.enumerated() { group.addTask { (index, await find(record)) } }
            return await group.reduce(into: wanted) { records, found in records[found.0] = found.1 }
        }
    }

    private func find(_ wanted: MailRecord) async -> MailRecord {
        do throws(LookupFailure) {
            let texts = try await resolver.texts(of: wanted.name, within: deadline).map(Self.text)
            return wanted.kind == .spf ? .spf(wanted.name, in: texts) : .dkim(wanted.name, in: texts)
        } catch { return Self.unanswered(wanted, error) }
    }

    private static func unanswered(_ wanted: MailRecord, _ failure: LookupFailure) -> MailRecord {
        switch failure {
        case .noSuchName, .malformedName: return MailRecord(wanted.kind, wanted.name, .missing, advice: wanted.advice)
        case .deadlinePassed, .serversFailed, .malformedAnswer, .cancelled, .other:
            return MailRecord(
                wanted.kind, wanted.name, .pending, fault: .notAnswered,
                detail: failure == .deadlinePassed ? "timeout" : nil, advice: wanted.advice)
        }
    }

    /// Maximum octets of a text that are kept: a DKIM record with a key of 4,096 bits has 750.
    private static let longest = 2000

    /// Text from the DNS, with every octet but printable ASCII replaced by U+FFFD, which the database accepts.
    private static func text(_ octets: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var length = 0
        for octet in octets {
            let scalar: Unicode.Scalar = (0x20..<0x7F).contains(octet) ? Unicode.Scalar(octet) : "\u{FFFD}"
            length += UTF8.width(scalar)
            guard length <= longest else { break }
            text.append(scalar)
        }
        return String(text)
    }
}
