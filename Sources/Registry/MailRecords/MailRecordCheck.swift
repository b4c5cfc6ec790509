public import DNS

/// Asks for the records that mail of an e-mail source needs.
public struct MailRecordCheck: Sendable {
    private let resolver: Resolver
    private let deadline: Duration

    public init(_ resolver: Resolver, deadline: Duration = .seconds(10)) {
        self.resolver = resolver
        self.deadline = deadline
    }

    /// Every record of the source, the SPF record first; to be called on the resolver's loop.
    public func run(_ source: RegisteredEmailSource) async -> [MailRecord] {
        var records: [MailRecord] = []
        for wanted in source.wantedRecords {
            do throws(LookupFailure) {
                let texts = try await resolver.texts(of: wanted.name, within: deadline).map(Self.text)
                records.append(
                    wanted.kind == .spf ? .spf(wanted.name, in: texts) : .dkim(wanted.name, in: texts)
                )
            } catch {
                records.append(Self.unanswered(wanted, error))
            }
        }
        return records
    }

    private static func unanswered(_ wanted: MailRecord, _ failure: LookupFailure) -> MailRecord {
        switch failure {
        case .noSuchName, .malformedName:
            return MailRecord(wanted.kind, wanted.name, .missing, advice: wanted.advice)
        case .deadlinePassed, .serversFailed, .malformedAnswer, .cancelled, .other:
            return MailRecord(
                wanted.kind,
                wanted.name,
                .pending,
                fault: .notAnswered,
                detail: failure == .deadlinePassed ? "timeout" : nil,
                advice: wanted.advice
            )
        }
    }

    /// Characters of a text that are kept: a DKIM record with a key of 4,096 bits has 750.
    private static let longest = 2000

    /// What others wrote, with nothing in it that would not show or that the database does not take.
    private static func text(_ octets: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for octet in octets.prefix(longest) {
            text.append((0x20..<0x7F).contains(octet) ? Unicode.Scalar(octet) : "\u{FFFD}")
        }
        return String(text)
    }
}
