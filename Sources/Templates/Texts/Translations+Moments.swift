import Core

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
