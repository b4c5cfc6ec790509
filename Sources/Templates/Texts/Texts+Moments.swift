import Bytes

/// A stretch of what is said on a page.
enum Said {
    case words(String)
    /// In an element of its own, so that the page's script can say it in the reader's zone.
    case moment(Timestamp)
}

extension Texts {
    /// The words, with the moments apart.
    func said(_ words: Words, in language: Language) -> [Said] {
        switch words {
        case .moment(let moment): return [.moment(moment)]
        case .phrase(let phrase) where words.holdsMoment: return said(phrase, in: language)
        default: return [.words(text(words, in: language))]
        }
    }

    private func said(_ phrase: Phrase, in language: Language) -> [Said] {
        let known = entry(phrase.key, in: language).map { ($0, language) }
        guard let (entry, language) = known ?? entry(phrase.key, in: .english).map({ ($0, .english) }) else {
            return [.words(text(phrase, in: language))]
        }
        return entry.form(for: phrase.count, in: language).flatMap { piece -> [Said] in
            guard case .argument(let name) = piece, name != "count" else {
                return [.words(text(of: piece, phrase, in: language))]
            }
            return phrase.arguments.first { $0.name == name }.map { said($0.words, in: language) } ?? []
        }
    }
}

extension Words {
    /// Whether a moment is told in it, outside of a list.
    var holdsMoment: Bool {
        switch self {
        case .moment: true
        case .phrase(let phrase): phrase.arguments.contains { $0.words.holdsMoment }
        case .verbatim, .number, .day, .list: false
        }
    }
}
