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

/// One error in a template or a text file, with its location.
public struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// Location of the error.
    public let location: Location
    /// What the file contains there.
    public let found: String
    /// What is required instead.
    public let expected: String
    /// The most similar known name, if one is similar enough.
    public let hint: String?

    /// Creates a diagnostic, for a caller that reports its own problems in the same format.
    public init(at location: Location, found: String, expected: String, hint: String? = nil) {
        self.location = location
        self.found = found
        self.expected = expected
        self.hint = hint
    }

    /// One line: location, found, expected, hint.
    public var description: String {
        let line = "\(location): found \(found), expected \(expected)"
        return hint.map { line + "; did you mean `\($0)`?" } ?? line
    }
}

/// All errors of templates and texts, in the order found.
public struct Diagnostics: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one when thrown; without duplicates; at most a hundred.
    public private(set) var all: [Diagnostic] = []

    init() {}

    init(_ only: Diagnostic) { all = [only] }

    /// One line per diagnostic.
    public var description: String { all.map(\.description).joined(separator: "\n") }

    var isFull: Bool { all.count >= TemplateLimit.diagnostics }

    /// Adds a diagnostic unless it is a duplicate, because a partial reports the same error at every use.
    mutating func report(_ diagnostic: Diagnostic) {
        guard !isFull, !all.contains(diagnostic) else { return }
        all.append(diagnostic)
    }

    mutating func report(contentsOf others: Diagnostics) { for diagnostic in others.all { report(diagnostic) } }

    /// Removes the diagnostics after the first `count`.
    mutating func truncate(to count: Int) { all.removeLast(max(0, all.count - count)) }
}

/// Suggests a known name for a misspelt one.
enum NearestName {
    /// Returns the known name with the fewest edits from `name`, at most a third of its length (at least 2).
    static func of(_ name: String, among known: [String]) -> String? {
        let wanted = Array(name.utf8.prefix(TemplateLimit.nameBytes))
        let bound = max(2, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(wanted, Array(candidate.utf8.prefix(TemplateLimit.nameBytes)))
            if distance <= bound, distance < max(wanted.count, 2), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// Levenshtein distance, ignoring case.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let substituted = diagonal + (byte.lowercased == other[column].lowercased ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

/// The folders of templates and texts.
struct PageFolders: Sendable {
    let templates: SourceFolder
    /// Nil for pages without texts.
    let texts: SourceFolder?

    /// File stamps of both folders, equal as long as no file is edited, added or removed.
    struct Stamps: Equatable, Sendable {
        var templates: [SourceFolder.Stamp] = []
        var texts: [SourceFolder.Stamp] = []
    }

    init(templates: String, texts: String?) {
        self.templates = SourceFolder(templates: templates)
        self.texts = texts.map(SourceFolder.init(texts:))
    }

    func stamps() throws(Diagnostics) -> Stamps {
        var stamps = Stamps(templates: try templates.stamps())
        if let texts { stamps.texts = try texts.stamps() }
        return stamps
    }

    func read(_ stamps: Stamps) throws(Diagnostics) -> TemplateSet {
        var catalogue = Translations()
        if let texts { catalogue = try Translations(texts, stamps.texts) }
        return try TemplateSet(templates, stamps.templates, catalogue)
    }
}
