/// Markup that is written as it stands.
///
/// Whoever makes one vouches that nothing in it came from outside unescaped and that it opens no tag it does
/// not close. Legal in the text of a page alone, not in an attribute.
public struct SafeHTML: Hashable, Sendable {
    /// The markup.
    public let markup: String

    /// Vouches for `markup`.
    public init(trusted markup: String) {
        self.markup = markup
    }
}
