public import Core

/// Type-erased access to one field of a scope.
///
/// Returns nothing for a scope of another type; binding never pairs a reader with one.
@usableFromInline enum Reader: Sendable {
    /// A text, markup or URL; nil if absent.
    case text(@Sendable (Scope) -> String?)
    /// A text in the page's language; nil if absent.
    case words(@Sendable (Scope) -> LocalizedText?)
    case flag(@Sendable (Scope) -> Bool?)
    case integer(@Sendable (Scope) -> Int?)
    /// Calls the body with each row until it returns false; returns whether there are any rows.
    case list(@Sendable (Scope, (Scope) -> Bool) -> Bool)
    /// The scope of a group; nil if an optional group is absent.
    case group(@Sendable (Scope) -> Scope?)
}
