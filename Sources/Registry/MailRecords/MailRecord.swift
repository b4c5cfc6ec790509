/// One record in the domain name system that mail of an e-mail source needs, and how it was found.
public struct MailRecord: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// Says which servers may send.
        case spf
        /// Holds the key of one DKIM selector.
        case dkim
    }

    public enum State: String, Sendable, Codable {
        /// Not known yet: never asked, or the name servers gave no answer.
        case pending
        case ok
        case missing
        case wrong
    }

    /// Why it is not in order.
    public enum Fault: String, Sendable, Codable {
        /// The name servers gave no answer; `detail` is how.
        case notAnswered
        /// More than one record where there may be one.
        case several
        /// A part that the grammar does not know; `detail` is the part.
        case syntax
        /// The SPF record lets everybody send.
        case allowsEveryone
        /// The DKIM record is of another version.
        case version
        /// The DKIM key is of a kind that receivers do not know; `detail` is the kind.
        case keyType
        /// The DKIM key is missing or unreadable.
        case key
        /// The DKIM key was revoked.
        case revoked
    }

    public let kind: Kind
    /// Where it lies, without a last dot.
    public let name: String
    public let state: State
    public let fault: Fault?
    public let detail: String?
    /// The texts that were found, as they are: the first few of many, and none in a list of sources.
    public let seen: [String]
    /// The text to put there, as far as it can be known here.
    public let advice: String?

    init(
        _ kind: Kind,
        _ name: String,
        _ state: State,
        fault: Fault? = nil,
        detail: String? = nil,
        seen: [String] = [],
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
    /// The record before anybody asked for it.
    static func pending(_ kind: Kind, _ name: String) -> MailRecord {
        MailRecord(kind, name, .pending, advice: kind == .spf ? SPFRecord.first : nil)
    }

    /// Texts of one record that are kept, and the octets of these together: two of the longest that a check reads have
    /// room.
    private static let (mostTexts, mostOctets) = (10, 4096)

    /// The first of these: a name server of anybody's may answer with thousands.
    private static func kept(_ texts: [String]) -> [String] {
        var octets = 0
        let kept = texts.prefix(mostTexts).prefix { text in
            octets += text.utf8.count
            return octets <= mostOctets
        }
        return Array(kept)
    }

    /// Judges the TXT records at a domain: one of them shall be its SPF record.
    static func spf(_ name: String, in texts: [String]) -> MailRecord {
        let meant = texts.filter(SPFRecord.isMeant)
        guard let text = meant.first else {
            return MailRecord(.spf, name, .missing, advice: SPFRecord.first)
        }
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

    /// Judges the TXT records at the name of a DKIM selector: there is one, with a key.
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
