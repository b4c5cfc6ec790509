import Core

/// A page's compiled template in one language: partials, layouts, fields, escaping and texts are resolved.
struct Program: Sendable {
    let language: Language
    /// For messages that are only known while the page is rendered.
    let texts: Translations
    var instructions: [Instruction] = []
    /// All literal text, concatenated.
    var literals: [UInt8] = []
    var readers: [Reader] = []
    /// Paths of group readers from a scope to the one with the field; the path at index 0 is empty.
    var ways: [[Reader]] = [[]]

    init(_ language: Language, _ texts: Translations) {
        self.language = language
        self.texts = texts
    }
}

/// One step of a program; holds only plain numbers, so that running a program counts no references.
enum Instruction: Sendable {
    /// Appends bytes of the program's literals.
    case literal(Range<Int>)
    case value(Reference, Escape)
    /// Appends a number inside a text, with the language's group separators.
    case number(Reference)
    /// Continues at `otherwise` unless the number takes this plural form.
    case form(PluralCategory, of: Reference, otherwise: Int)
    /// Continues at `otherwise` unless the field is present (a flag: true); the reverse if negated.
    case test(Reference, isNegated: Bool, otherwise: Int)
    case jump(Int)
    /// Runs up to `end` for each row and continues at `exit`; continues at `end` if there are no rows.
    case each(Reference, end: Int, exit: Int)
    /// Runs up to `end` inside the group and continues at `exit`; continues at `end` if the group is absent.
    case with(Reference, end: Int, exit: Int)
}

/// A field, addressed by indexes of the program.
struct Reference: Sendable {
    /// Index of the scope in the renderer's stack of scopes; 0 is the page.
    let level: Int
    /// Index of the path in the program's `ways`; 0 if the field is in the scope itself.
    let way: Int
    /// Index of the field's reader in the program's `readers`.
    let reader: Int
}
