import Core

/// Plural form of a text (Unicode CLDR, "Language Plural Rules").
enum PluralCategory: String, Hashable, Sendable { case one, few, many, other }

extension Language {
    /// Plural forms of whole numbers.
    ///
    /// The last one is the form of numbers without a rule of their own.
    var pluralCategories: [PluralCategory] {
        switch self {
        case .english, .german: [.one, .other]
        case .russian: [.one, .few, .many]
        case .chinese, .indonesian: [.other]
        }
    }

    func pluralCategory(of count: Int) -> PluralCategory {
        let count = count.magnitude
        switch self {
        case .english, .german: return count == 1 ? .one : .other
        case .chinese, .indonesian: return .other
        case .russian:
            let (last, lastTwo) = (count % 10, count % 100)
            if (11...14).contains(lastTwo) { return .many }
            if last == 1 { return .one }
            return (2...4).contains(last) ? .few : .many
        }
    }
}
