/// Why the inside of a tag cannot be read.
struct TagProblem: Error {
    let offset: Int
    let found: String
    let expected: String
    var hint: String?
    /// The block the tag would have opened.
    var opening: BlockKind?
}
