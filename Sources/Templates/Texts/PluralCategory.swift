import Bytes

/// A form that a text takes with a number (Unicode CLDR, "Language Plural Rules").
enum PluralCategory: String, Hashable, Sendable {
    case one, few, many, other
}

extension Language {
    /// The forms that whole numbers take.
    ///
    /// The last one is that of numbers with no rule of their own.
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
        case .english, .german:
            return count == 1 ? .one : .other
        case .chinese, .indonesian:
            return .other
        case .russian:
            let (last, lastTwo) = (count % 10, count % 100)
            if (11...14).contains(lastTwo) { return .many }
            if last == 1 { return .one }
            return (2...4).contains(last) ? .few : .many
        }
    }
}
