import Bytes

/// A page's template with everything in place: partials, layout, fields, escaping, one language's texts.
struct Program: Sendable {
    let language: Language
    /// For words that are known only while the page is written.
    let texts: Texts
    var instructions: [Instruction] = []
    /// All literal text, one after the other.
    var literals: [UInt8] = []
    var readers: [Reader] = []
    /// Readers of groups that lead from a scope to the one that has a field; the first way is no way at all.
    var ways: [[Reader]] = [[]]

    init(_ language: Language, _ texts: Texts) {
        self.language = language
        self.texts = texts
    }
}
