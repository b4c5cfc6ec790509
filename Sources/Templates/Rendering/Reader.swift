public import Bytes

/// How one field is read from the scope that has it, all types forgotten.
///
/// Each answers nothing for a scope of another type, which binding never pairs it with.
@usableFromInline
enum Reader: Sendable {
    /// A text, markup or URL; nil if absent.
    case text(@Sendable (Scope) -> String?)
    /// What is said in the page's language; nil if absent.
    case words(@Sendable (Scope) -> Words?)
    case flag(@Sendable (Scope) -> Bool?)
    case integer(@Sendable (Scope) -> Int?)
    /// Hands over the rows as long as the body wants more; answers whether there are any.
    case list(@Sendable (Scope, (Scope) -> Bool) -> Bool)
    /// Nil for an optional group that is absent.
    case group(@Sendable (Scope) -> Scope?)
}
