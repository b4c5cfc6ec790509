/// A name, or names of nested groups that lead to one.
struct Path: Equatable, Sendable {
    let names: [String]
    /// Where its first byte stands in the source.
    let offset: Int

    var text: String { names.joined(separator: ".") }

    /// Words that mean something else in a tag.
    static let reserved: Set<String> = [
        "if", "not", "each", "with", "else", "layout", "content", "this", "t",
    ]

    /// Letters, digits and underscores, not starting with a digit, and not a word of the syntax.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, first.isLetter || first == UInt8(ascii: "_") else { return false }
        return text.utf8.count <= Limit.nameBytes && !reserved.contains(String(text))
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
