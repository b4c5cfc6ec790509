/// A position in a template or in a text file.
public struct Location: Hashable, Sendable, CustomStringConvertible {
    /// Path below the template folder with `.html`, or a path that begins with `Texts/`.
    public let file: String
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in Unicode scalars.
    public let column: Int

    /// Creates a location, for a caller that reports its own problems in the same format.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, which editors and terminals open on a click.
    public var description: String { "\(file):\(line):\(column)" }
}
