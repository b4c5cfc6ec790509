/// Where in a document a byte stands: the states of HTML Standard 13.2.5 that need telling apart here.
enum HTMLPlace: Equatable, Sendable {
    case text
    /// After `<`.
    case tagOpen
    /// After `</`.
    case closingTagOpen
    case tagName
    /// Inside a tag, before an attribute.
    case tag
    case attributeName
    case afterAttributeName
    /// After `=`.
    case beforeValue
    case quotedValue(UInt8)
    case unquotedValue
    /// After a branch that ended in a name or behind one: only what ends both may follow.
    case boundary
    /// After `<!`.
    case declaration
    case bogusComment
    case comment
    /// Inside `<script>`, `<title>` and their like.
    case rawText
}
