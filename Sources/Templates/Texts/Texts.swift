public import Bytes

/// The catalogue: every text that Pippin says to people, in every language it has.
public struct Texts: Sendable {
    private(set) var entries: [Language: [String: TextEntry]] = [:]
    /// What is wrong with the files.
    private(set) var diagnostics = Diagnostics()

    /// No texts.
    public init() {}

    /// Reads every `.txt` below the folder.
    ///
    /// - Throws: what cannot be read, and everything that is wrong with what can.
    public init(folder: String) throws(Diagnostics) {
        let folder = SourceFolder(texts: folder)
        try self.init(folder, folder.stamps())
        guard diagnostics.all.isEmpty else { throw diagnostics }
    }

    /// Texts from memory: a file's text by its name, such as `en/console/users`.
    public init(files: [String: String]) {
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            add(Source(name: name, bytes: Array(text.utf8), file: "Texts/\(name).txt"))
        }
    }

    init(_ folder: SourceFolder, _ stamps: [SourceFolder.Stamp]) throws(Diagnostics) {
        for stamp in stamps {
            add(try folder.source(stamp.name))
        }
    }

    private mutating func add(_ source: Source) {
        let parts = source.name.split(separator: "/")
        guard parts.count >= 2, let language = Language(rawValue: String(parts[0])) else {
            let known = Language.allCases.map(\.tag).joined(separator: ", ")
            return diagnostics.report(
                Diagnostic(
                    at: source.location(at: 0),
                    found: "a file of no language",
                    expected: "it in the folder of one: \(known)"
                )
            )
        }
        let room = parts.dropFirst().joined(separator: ".")
        var parser = TextFileParser(source, in: language)
        for (name, entry) in parser.parse() {
            let key = "\(room).\(name)"
            if let other = entries[language]?[key] {
                let found = "`\(name)`, which is `\(key)` of \(other.location) again"
                diagnostics.report(Diagnostic(at: entry.location, found: found, expected: "each key once"))
            }
            entries[language, default: [:]][key] = entry
        }
        diagnostics.report(contentsOf: parser.diagnostics)
    }

    /// The keys a language has.
    public func keys(in language: Language) -> Set<String> {
        Set((entries[language] ?? [:]).keys)
    }

    /// What has to be given for a text's placeholders, as English has them.
    public func placeholders(of key: String) -> Set<String> {
        guard let entry = entry(key, in: .english) else { return [] }
        return entry.arguments.union(entry.needsCount ? ["count"] : [])
    }

    /// Whether a text has tags, which only templates write.
    public func hasMarkup(_ key: String) -> Bool {
        entries.values.contains { $0[key]?.forms.values.joined().contains(where: \.isMarkup) ?? false }
    }

    func entry(_ key: String, in language: Language) -> TextEntry? {
        entries[language]?[key]
    }
}

// What is said in a language.
extension Texts {
    /// The words without markup: what is no page writes them as they are, a page escapes them.
    ///
    /// A phrase that a language lacks is said in English, one that English lacks shows its key or its fallback; a test
    /// sees to it that neither happens.
    public func text(_ wording: any Wording, in language: Language = .english) -> String {
        switch wording.asWords {
        case .verbatim(let text): text
        case .number(let number): NumberText.text(number, in: language)
        case .moment(let moment): DateText.text(moment, in: language)
        case .day(let moment): DateText.day(of: moment, in: language)
        case .list(let parts): ListText.text(parts.map { text($0, in: language) }, in: language)
        case .phrase(let phrase): text(of: phrase, in: language)
        }
    }

    private func text(of phrase: Phrase, in language: Language) -> String {
        if let entry = entry(phrase.key, in: language) { return write(entry, phrase, in: language) }
        guard let entry = entry(phrase.key, in: .english) else { return phrase.fallback ?? phrase.key }
        return write(entry, phrase, in: .english)
    }

    private func write(_ entry: TextEntry, _ phrase: Phrase, in language: Language) -> String {
        entry.form(for: phrase.count, in: language).reduce(into: "") { out, piece in
            out += text(of: piece, phrase, in: language)
        }
    }

    func text(of piece: TextPiece, _ phrase: Phrase, in language: Language) -> String {
        switch piece {
        case .words(let words): words
        case .argument("count"): phrase.count.map { NumberText.text($0, in: language) } ?? ""
        case .argument(let name):
            phrase.arguments.first { $0.name == name }.map { text($0.words, in: language) } ?? ""
        case .markup, .link: ""
        }
    }
}
