/// A record that says which servers send mail for a domain (RFC 7208), as far as its syntax goes.
public struct SPFRecord: Hashable, Sendable {
    /// What is wrong with it.
    public enum Fault: Error, Hashable, Sendable {
        /// A term that the grammar of RFC 7208 section 12 does not know.
        case term(String)
        /// `redirect` or `exp` twice (section 6).
        case twice(String)
        /// `+all`: everybody may send as the domain.
        case allowsEveryone
    }

    /// What it begins with, alone or before a space (section 4.5).
    private static let version = "v=spf1"
    private static let mechanisms = ["all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"]

    /// Without the version, as they stand there.
    let terms: [String]

    /// Whether a TXT record means to be SPF at all; other records of a domain are none of its business.
    static func isMeant(_ text: String) -> Bool {
        let text = text.lowercased()
        return text == version || text.hasPrefix(version + " ")
    }

    init(parsing text: String) throws(Fault) {
        terms = text.dropFirst(Self.version.count).split(separator: " ").map(String.init)
        var modifiers: Set<String> = []
        for term in terms {
            if let name = Self.modifier(term) {
                // A slip for `ip4:` and the like, which the grammar takes for a modifier of the future.
                guard !Self.mechanisms.contains(name) else { throw .term(term) }
                guard ["redirect", "exp"].contains(name) else { continue }
                guard modifiers.insert(name).inserted else { throw .twice(name) }
            } else if !Self.isMechanism(term) {
                throw .term(term)
            }
        }
        guard !terms.contains(where: { ["all", "+all"].contains($0.lowercased()) }) else {
            throw .allowsEveryone
        }
    }

    /// One record in place of several: a domain has one SPF record at most (section 3.2).
    static func joined(_ records: [SPFRecord]) -> String {
        // A domain of others may have thousands.
        var seen: Set<String> = []
        let terms = records.flatMap(\.terms).filter { !isAll($0) && seen.insert($0).inserted }
        return ([version] + terms + ["~all"]).joined(separator: " ")
    }

    /// A record to begin with, for a domain that has none.
    static let first = "v=spf1 mx ~all"

    /// The same record without the leave for everybody.
    static func closed(_ text: String) -> String {
        let terms = text.dropFirst(version.count).split(separator: " ").map(String.init)
        return ([version] + terms.filter { !isAll($0) } + ["~all"]).joined(separator: " ")
    }

    private static func isAll(_ term: String) -> Bool {
        ["all", "+all", "-all", "~all", "?all"].contains(term.lowercased())
    }

    /// The name before an `=`, in lower case; nil when the term is no modifier.
    private static func modifier(_ term: String) -> String? {
        guard let sign = term.firstIndex(of: "=") else { return nil }
        let name = term[..<sign].lowercased()
        let isName = name.utf8.allSatisfy(isNameCharacter) && name.utf8.first.map(isLetter) == true
        return isName ? name : nil
    }

    private static func isMechanism(_ term: String) -> Bool {
        let bare = term.first.map { "+-?~".contains($0) } == true ? term.dropFirst() : term[...]
        let name = bare.prefix { $0 != ":" && $0 != "/" }
        let argument = bare.dropFirst(name.count)
        let value = argument.first == ":" ? argument.dropFirst() : nil
        guard mechanisms.contains(name.lowercased()), term.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        switch name.lowercased() {
        case "all": return argument.isEmpty
        case "include", "exists": return value.map { !$0.isEmpty } ?? false
        case "ip4": return value.map { NetworkText.isIPv4($0) } ?? false
        case "ip6": return value.map { NetworkText.isIPv6($0) } ?? false
        default: return value.map { !$0.isEmpty } ?? NetworkText.isLengths(argument)
        }
    }

    private static func isLetter(_ character: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
    }

    private static func isNameCharacter(_ character: UInt8) -> Bool {
        isLetter(character) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            || "-_.".utf8.contains(character)
    }
}
