/// A place in a template or in a file of texts.
public struct Location: Hashable, Sendable, CustomStringConvertible {
    /// Path below the template folder with `.html`, or from `Texts/` on.
    public let file: String
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in Unicode scalars.
    public let column: Int

    /// A place named by hand, for a caller that reports problems of its own in the same form.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, which editors and terminals open on a click.
    public var description: String { "\(file):\(line):\(column)" }
}
