/// One template: its text, its tree, and what is wrong with it.
struct Template: Sendable {
    let source: Source
    let syntax: Syntax
    let diagnostics: Diagnostics

    init(_ source: Source) {
        self.source = source
        var parser = Parser(source)
        (syntax, diagnostics) = parser.parse()
    }
}
