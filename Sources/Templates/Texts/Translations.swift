public import Core

/// All texts of Pippin's pages and emails, by language and key.
public struct Translations: Sendable {
    /// By key, one table for each language in the order of `Language.allCases`.
    private(set) var entries = Array(repeating: [String: TextEntry](), count: Language.allCases.count)
    /// Errors in the files.
    private(set) var diagnostics = Diagnostics()

    /// Creates translations without texts.
    public init() {}

    /// Reads every `.txt` file below the folder.
    ///
    /// - Throws: the files that cannot be read, and all errors in the others.
    public init(folder: String) throws(Diagnostics) {
        let folder = SourceFolder(texts: folder)
        try self.init(folder, folder.stamps())
        guard diagnostics.all.isEmpty else { throw diagnostics }
    }

    /// Creates translations from memory: the content of a file by its name, such as `en/console/users`.
    public init(files: [String: String]) {
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            add(Source(name: name, bytes: Array(text.utf8), file: "Texts/\(name).txt"))
        }
    }

    init(_ folder: SourceFolder, _ stamps: [SourceFolder.Stamp]) throws(Diagnostics) {
        for stamp in stamps { add(try folder.source(stamp.name)) }
    }

    private mutating func add(_ source: Source) {
        let parts = source.name.split(separator: "/")
        guard parts.count >= 2, let language = Language(rawValue: String(parts[0])) else {
            let known = Language.allCases.map(\.tag).joined(separator: ", ")
            return diagnostics.report(
                Diagnostic(
                    at: source.location(at: 0), found: "a file of no language",
                    expected: "it in the folder of one: \(known)"))
        }
        let room = parts.dropFirst().joined(separator: ".")
        var parser = TextFileParser(source, in: language)
        for (name, entry) in parser.parse() {
            let key = "\(room).\(name)"
            if let other = entries[language.position][key] {
                let found = "`\(name)`, which is `\(key)` of \(other.location) again"
                diagnostics.report(Diagnostic(at: entry.location, found: found, expected: "each key once"))
            }
            entries[language.position][key] = entry
        }
        diagnostics.report(contentsOf: parser.diagnostics)
    }

    /// Returns the keys that a language has.
    public func keys(in language: Language) -> Set<String> { Set(entries[language.position].keys) }

    /// Whether there is a text, in English as in every language.
    public func has(_ key: String) -> Bool { entry(key, in: .english) != nil }

    /// Returns the placeholders of a text, including `count`, as English has them.
    public func placeholders(of key: String) -> Set<String> {
        guard let entry = entry(key, in: .english) else { return [] }
        return entry.arguments.union(entry.needsCount ? ["count"] : [])
    }

    /// Whether a text has tags, which only templates render.
    public func hasMarkup(_ key: String) -> Bool {
        entries.contains { $0[key]?.forms.values.joined().contains(where: \.isMarkup) ?? false }
    }

    func entry(_ key: String, in language: Language) -> TextEntry? { entries[language.position][key] }
}

// Texts in a language.
extension Translations {
    /// Returns a localized text without markup and unescaped; pages escape it.
    ///
    /// A message that a language lacks is returned in English; one that English lacks is its fallback or its key.
    /// A test ensures that neither happens.
    public func text(_ wording: any LocalizedTextConvertible, in language: Language = .english) -> String {
        switch wording.localizedText {
        case .verbatim(let text): text
        case .number(let number): NumberText.text(number, in: language)
        case .moment(let moment): DateText.text(moment, in: language)
        case .day(let moment): DateText.day(of: moment, in: language)
        case .list(let parts): ListText.text(parts.map { text($0, in: language) }, in: language)
        case .message(let message): text(of: message, in: language)
        }
    }

    private func text(of message: Message, in language: Language) -> String {
        if let entry = entry(message.key, in: language) { return write(entry, message, in: language) }
        guard let entry = entry(message.key, in: .english) else { return message.fallback ?? message.key }
        return write(entry, message, in: .english)
    }

    private func write(_ entry: TextEntry, _ message: Message, in language: Language) -> String {
        let pieces = entry.form(for: message.count, in: language)
        if pieces.count == 1 { return text(of: pieces[0], message, in: language) }
        var out = ""
        out.reserveCapacity(64)
        for piece in pieces { out += text(of: piece, message, in: language) }
        return out
    }

    /// Calls `body` with the parts of a localized text in turn, which saves joining them.
    func parts(of words: LocalizedText, in language: Language, _ body: (String) -> Void) {
        guard case .message(let message) = words, let entry = entry(message.key, in: language) else {
            return body(text(words, in: language))
        }
        for piece in entry.form(for: message.count, in: language) { body(text(of: piece, message, in: language)) }
    }

    func text(of piece: TextPiece, _ message: Message, in language: Language) -> String {
        switch piece {
        case .words(let words): words
        case .argument("count"): message.count.map { NumberText.text($0, in: language) } ?? ""
        case .argument(let name): message.arguments.first { $0.name == name }.map { text($0.words, in: language) } ?? ""
        case .markup, .link: ""
        }
    }
}

// Comparison of the languages with English.
extension Translations {
    /// Checks the translations as a whole: invalid files, unknown areas, and keys or placeholders that languages lack.
    public func check(_ areas: [TextArea]) throws(Diagnostics) {
        var problems = diagnostics
        let english = entries[Language.english.position]
        for key in english.keys.sorted() {
            guard let entry = english[key] else { continue }
            guard let area = areas.first(where: { key.hasPrefix($0.name + ".") }) else {
                let known = areas.map { "`\($0.name)`" }.joined(separator: ", ")
                let found = "`\(key)`, whose area nothing shows"
                problems.report(Diagnostic(at: entry.location, found: found, expected: "one of \(known)"))
                continue
            }
            compare(key, entry, area, into: &problems)
        }
        for language in Language.allCases where language != .english {
            for (key, entry) in entries[language.position].sorted(by: { $0.key < $1.key }) where english[key] == nil {
                let found = "`\(key)`, which English lacks"
                problems.report(Diagnostic(at: entry.location, found: found, expected: "a key of English"))
            }
        }
        guard problems.all.isEmpty else { throw problems }
    }

    private func compare(_ key: String, _ english: TextEntry, _ area: TextArea, into problems: inout Diagnostics) {
        for language in Language.allCases where language != .english {
            let entry = entry(key, in: language)
            switch (entry, area.languages.contains(language)) {
            case (nil, false): continue
            case (nil, true):
                let found = "`\(key)`, which \(language.tag) lacks"
                problems.report(
                    Diagnostic(at: english.location, found: found, expected: "it in Texts/\(language.tag) too"))
            case (let entry?, false):
                let found = "`\(key)` in \(language.tag), which the area `\(area.name)` does not have"
                problems.report(Diagnostic(at: entry.location, found: found, expected: "no such text"))
            case (let entry?, true): compare(key, english, entry, in: language, into: &problems)
            }
        }
    }

    private func compare(
        _ key: String, _ english: TextEntry, _ entry: TextEntry, in language: Language, into problems: inout Diagnostics
    ) {
        for name in entry.arguments.subtracting(english.arguments).sorted() {
            let found = "the placeholder `{\(name)}` of `\(key)`, which English does not have"
            problems.report(Diagnostic(at: entry.location, found: found, expected: "those of English"))
        }
        for name in english.arguments.subtracting(entry.arguments).sorted() {
            let found = "`\(key)` without the placeholder `{\(name)}`"
            problems.report(Diagnostic(at: entry.location, found: found, expected: "those of English"))
        }
        if english.isPlural, !entry.isPlural, language.pluralCategories.count > 1 {
            let forms = language.pluralCategories.map { "[\($0.rawValue)]" }.joined(separator: ", ")
            let found = "`\(key)` without forms for numbers"
            problems.report(Diagnostic(at: entry.location, found: found, expected: forms))
        }
        if entry.isPlural, !english.isPlural {
            let found = "forms of `\(key)` for numbers, which English does not count"
            problems.report(Diagnostic(at: entry.location, found: found, expected: "one text"))
        }
    }
}

/// A part of a rendered text: plain text or a moment.
enum Said {
    case words(String)
    /// In an element of its own, so that the page's script can show it in the user's time zone.
    case moment(Timestamp)
}

extension Translations {
    /// Returns the text in a language, with its moments as separate parts.
    func said(_ words: LocalizedText, in language: Language) -> [Said] {
        switch words {
        case .moment(let moment): return [.moment(moment)]
        case .message(let message) where words.holdsMoment: return said(message, in: language)
        default: return [.words(text(words, in: language))]
        }
    }

    private func said(_ message: Message, in language: Language) -> [Said] {
        let known = entry(message.key, in: language).map { ($0, language) }
        guard let (entry, language) = known ?? entry(message.key, in: .english).map({ ($0, .english) }) else {
            return [.words(text(message, in: language))]
        }
        return entry.form(for: message.count, in: language).flatMap { piece -> [Said] in
            guard case .argument(let name) = piece, name != "count" else {
                return [.words(text(of: piece, message, in: language))]
            }
            return message.arguments.first { $0.name == name }.map { said($0.words, in: language) } ?? []
        }
    }
}

extension LocalizedText {
    /// Whether the text contains a moment outside of a list.
    var holdsMoment: Bool {
        switch self {
        case .moment: true
        case .message(let message): message.arguments.contains { $0.words.holdsMoment }
        case .verbatim, .number, .day, .list: false
        }
    }
}
