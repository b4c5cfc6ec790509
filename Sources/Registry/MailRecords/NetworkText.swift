import Core

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
