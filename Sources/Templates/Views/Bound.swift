import Bytes

/// A page's template, checked against the page's fields and ready to write.
///
/// Immutable: one value serves every thread.
public struct Bound<Page: View>: Sendable {
    /// One for each language, in the order of `Language.allCases`.
    private let programs: [Program]

    init(_ programs: [Program]) {
        self.programs = programs
    }

    /// Appends the page's bytes, in the page's language.
    public func render(_ page: Page, into out: inout [UInt8]) {
        var renderer = Renderer(programs[page.language.position], Holder(page))
        renderer.run(into: &out)
    }
}

extension Language {
    /// Its index in `allCases`.
    fileprivate var position: Int {
        switch self {
        case .english: 0
        case .german: 1
        case .russian: 2
        case .chinese: 3
        case .indonesian: 4
        }
    }
}
