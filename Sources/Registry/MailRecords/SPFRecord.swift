import Core

/// Syntax of an SPF record, which lists the servers that send mail for a domain (RFC 7208).
public struct SPFRecord: Hashable, Sendable {
    /// An error of the record.
    public enum Fault: Error, Hashable, Sendable {
        /// A term that violates the grammar of RFC 7208 section 12.
        case term(String)
        /// `redirect` or `exp` occurs twice (section 6).
        case twice(String)
        /// `+all`: every server may send for the domain.
        case allowsEveryone
    }

    /// The first term, alone or before a space (section 4.5).
    private static let version = "v=spf1"
    private static let mechanisms = ["all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"]

    /// All terms after the version, unchanged.
    let terms: [String]

    /// Whether a TXT record is meant as SPF; a domain has other TXT records too.
    static func isMeant(_ text: String) -> Bool {
        let text = text.lowercased()
        return text == version || text.hasPrefix(version + " ")
    }

    init(parsing text: String) throws(Fault) {
        terms = text.dropFirst(Self.version.count).split(separator: " ").map(String.init)
        var modifiers: Set<String> = []
        for term in terms {
            if let name = Self.modifier(term) {
                // A typing error for `ip4:` and the like, which the grammar allows as an unknown modifier.
                guard !Self.mechanisms.contains(name) else { throw .term(term) }
                guard ["redirect", "exp"].contains(name) else { continue }
                guard modifiers.insert(name).inserted else { throw .twice(name) }
            } else if !Self.isMechanism(term) {
                throw .term(term)
            }
        }
        guard !terms.contains(where: { ["all", "+all"].contains($0.lowercased()) }) else { throw .allowsEveryone }
    }

    /// One record that merges several: a domain has at most one SPF record (section 3.2).
    static func joined(_ records: [SPFRecord]) -> String {
        // A set, because a team's domain may have thousands of terms.
        var seen: Set<String> = []
        let terms = records.flatMap(\.terms).filter { !isAll($0) && seen.insert($0).inserted }
        return ([version] + terms + ["~all"]).joined(separator: " ")
    }

    /// Suggested record for a domain that has none.
    static let first = "v=spf1 mx ~all"

    /// The record with its `all` terms replaced by `~all`.
    static func closed(_ text: String) -> String {
        let terms = text.dropFirst(version.count).split(separator: " ").map(String.init)
        return ([version] + terms.filter { !isAll($0) } + ["~all"]).joined(separator: " ")
    }

    private static func isAll(_ term: String) -> Bool {
        ["all", "+all", "-all", "~all", "?all"].contains(term.lowercased())
    }

    /// The name before an `=`, in lower case; nil when the term is not a modifier.
    private static func modifier(_ term: String) -> String? {
        guard let sign = term.firstIndex(of: "=") else { return nil }
        let name = term[..<sign].lowercased()
        let isName = name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0) }
        return isName && name.utf8.first?.isASCIILetter == true ? name : nil
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
}
