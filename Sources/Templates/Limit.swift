/// Bounds that keep a broken or hostile template from exhausting the process that reads it.
enum Limit {
    /// Bytes of one template file.
    static let sourceBytes = 256 * 1024
    /// Template files in one folder.
    static let files = 2_000
    /// Folders inside folders.
    static let folders = 16
    /// Blocks inside blocks in one file.
    static let nesting = 32
    /// Blocks, partials and layouts inside each other once everything is in place.
    static let expandedNesting = 64
    /// Pieces of one page once every partial is in place (partials multiply).
    static let expandedNodes = 100_000
    /// Bytes of literal text of one page once every partial is in place.
    static let expandedBytes = 4 * 1024 * 1024
    /// Diagnostics kept; beyond that a reader gains nothing.
    static let diagnostics = 100
    /// Bytes of a name.
    static let nameBytes = 64
}
