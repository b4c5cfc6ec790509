public import HTTP

/// DNS lookup of the records required for mail from an e-mail source.
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
