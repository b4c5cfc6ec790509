/// A page's template, checked against the page's fields and ready to write.
///
/// Immutable: one value serves every thread.
public struct Bound<Page: View>: Sendable {
    private let program: Program

    init(_ program: Program) {
        self.program = program
    }

    /// Appends the page's bytes.
    public func render(_ page: Page, into out: inout [UInt8]) {
        var renderer = Renderer(program, Holder(page))
        renderer.run(into: &out)
    }
}
