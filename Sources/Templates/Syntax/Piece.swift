/// A stretch of the source: literal text or one tag.
struct Piece: Equatable, Sendable {
    /// Bytes of the source; a literal may be cut to fewer when its line vanishes.
    var range: Range<Int>
    /// Nil for literal text.
    let tag: Tag?
}
