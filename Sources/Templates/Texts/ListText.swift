import Core

/// Lists in the format of a language (Unicode CLDR, list patterns).
enum ListText {
    static func text(_ parts: [String], in language: Language) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        let separator = language == .chinese ? "、" : ", "
        return parts.dropLast().joined(separator: separator) + conjunction(of: parts.count, in: language) + last
    }

    private static func conjunction(of count: Int, in language: Language) -> String {
        switch language {
        case .english: " and "
        case .german: " und "
        case .russian: " и "
        case .chinese: "和"
        case .indonesian: count > 2 ? ", dan " : " dan "
        }
    }
}
