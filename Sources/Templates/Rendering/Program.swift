/// A page's template with everything in place: partials, layout, fields, escaping.
struct Program: Sendable {
    var instructions: [Instruction] = []
    /// All literal text, one after the other.
    var literals: [UInt8] = []
    var readers: [Reader] = []
    /// Readers of groups that lead from a scope to the one that has a field; the first way is no way at all.
    var ways: [[Reader]] = [[]]
}
