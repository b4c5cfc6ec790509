import Core

/// A page's template, checked against the page's fields and compiled.
///
/// Immutable, so all threads can share one value.
public struct Bound<Page: View>: Sendable {
    /// One per language, in the order of `Language.allCases`.
    private let programs: [Program]

    init(_ programs: [Program]) { self.programs = programs }

    /// Renders the page in its language and appends the bytes.
    public func render(_ page: Page, into out: inout [UInt8]) {
        var renderer = Renderer(programs[page.language.position], ValueScope(page))
        renderer.run(into: &out)
    }
}

extension Language {
    /// Index in `allCases`.
    var position: Int {
        switch self {
        case .english: 0
        case .german: 1
        case .russian: 2
        case .chinese: 3
        case .indonesian: 4
        }
    }
}
