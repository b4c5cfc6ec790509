import Core

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
