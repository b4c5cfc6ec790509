/// Limits that prevent a broken or hostile template from exhausting the process that reads it.
enum TemplateLimit {
    /// Maximum size of one template or text file, in bytes.
    static let sourceBytes = 256 * 1024
    /// Maximum number of files below one folder.
    static let files = 2_000
    /// Maximum depth of nested folders.
    static let folders = 16
    /// Maximum depth of nested blocks in one file.
    static let nesting = 32
    /// Maximum depth of nested blocks, partials and layouts of one page.
    static let expandedNesting = 64
    /// Maximum number of nodes of one page with all partials expanded; partials multiply.
    static let expandedNodes = 100_000
    /// Maximum size of the literal text of one page with all partials expanded, in bytes.
    static let expandedBytes = 4 * 1024 * 1024
    /// Maximum number of reported diagnostics; more would not help the reader.
    static let diagnostics = 100
    /// Maximum length of a name, in bytes.
    static let nameBytes = 64
}
