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

/// Syntax of addresses and prefix lengths in SPF records (RFC 7208 section 5.6).
enum NetworkText {
    /// Whether the text is four decimal numbers, with or without `/0` to `/32`.
    static func isIPv4(_ text: Substring) -> Bool {
        let (address, length) = cut(text)
        let numbers = address.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { isNumber($0, atMost: 255) }
            && length.map { isNumber($0, atMost: 32) } ?? true
    }

    /// Whether the text is an IPv6 address (RFC 4291 section 2.2), with or without `/0` to `/128`.
    static func isIPv6(_ text: Substring) -> Bool {
        let (address, length) = cut(text)
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...9).contains(groups.count), length.map({ isNumber($0, atMost: 128) }) ?? true else { return false }
        let gaps = zip(groups, groups.dropFirst()).filter { $0.isEmpty && $1.isEmpty }.count
        let empty = groups.filter(\.isEmpty).count
        let isWhole = empty == 0 && (groups.count == 8 || groups.count == 7 && isIPv4Group(groups.last))
        let isShort = address.contains("::") && gaps <= 2 && empty <= gaps + 1
        let isGroup: (Substring) -> Bool = { $0.utf8.count <= 4 && $0.utf8.allSatisfy { Hex.value(of: $0) != nil } }
        return (isWhole || isShort) && groups.dropLast().allSatisfy(isGroup)
            && (groups.last.map(isGroup) ?? false || isIPv4Group(groups.last))
    }

    /// Whether the text is empty, or `/24`, `//64` or `/24//64`: the prefix lengths after a name.
    static func isLengths(_ text: Substring) -> Bool {
        if text.isEmpty { return true }
        guard text.first == "/" else { return false }
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return isNumber(parts[0], atMost: 32)
        case 2: return parts[0].isEmpty && isNumber(parts[1], atMost: 128)
        case 3: return isNumber(parts[0], atMost: 32) && parts[1].isEmpty && isNumber(parts[2], atMost: 128)
        default: return false
        }
    }

    private static func cut(_ text: Substring) -> (Substring, Substring?) {
        guard let slash = text.firstIndex(of: "/") else { return (text, nil) }
        return (text[..<slash], text[slash...].dropFirst())
    }

    private static func isIPv4Group(_ group: Substring?) -> Bool {
        group.map { $0.contains(".") && !$0.contains("/") && isIPv4($0) } ?? false
    }

    private static func isNumber(_ text: Substring, atMost limit: Int) -> Bool {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit)
        return isPlain && text.utf8.count <= 3 && Int(text).map { $0 <= limit && String($0) == text } ?? false
    }
}
