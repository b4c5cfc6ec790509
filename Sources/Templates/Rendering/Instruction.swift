/// One step of a bound page: plain numbers, so that stepping through a page counts no references.
enum Instruction: Sendable {
    /// Bytes of the program's literals.
    case literal(Range<Int>)
    case value(Reference, Escape)
    /// A number inside a text, with the language's group separators.
    case number(Reference)
    /// Goes on at `otherwise` unless the number takes this form.
    case form(PluralCategory, of: Reference, otherwise: Int)
    /// Goes on at `otherwise` unless the field holds (or holds not, if negated).
    case test(Reference, isNegated: Bool, otherwise: Int)
    case jump(Int)
    /// Runs up to `end` for each row and goes on at `exit`; without rows goes on at `end`.
    case each(Reference, end: Int, exit: Int)
    /// Runs up to `end` inside the group and goes on at `exit`; without a group goes on at `end`.
    case with(Reference, end: Int, exit: Int)
}
