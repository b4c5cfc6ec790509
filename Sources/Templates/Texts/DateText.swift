public import Core

/// Dates and times in UTC in the format of a language (CLDR, medium date and short time).
///
/// The script of a page writes them in the same format in the user's time zone.
public enum DateText {
    /// Returns date and time, such as `20 Nov 2026, 11:29 UTC`.
    public static func text(_ moment: Timestamp, in language: Language) -> String {
        let civil = moment.civil
        let (hour, minute) = (CivilTime.padded(civil.hour), CivilTime.padded(civil.minute))
        let day = day(of: moment, in: language)
        return switch language {
        case .english, .german, .russian: "\(day), \(hour):\(minute) UTC"
        case .chinese: "\(day) \(hour):\(minute) UTC"
        case .indonesian: "\(day), \(hour).\(minute) UTC"
        }
    }

    /// Returns the date, such as `20 Nov 2026`.
    public static func day(of moment: Timestamp, in language: Language) -> String {
        let civil = moment.civil
        let month = civil.month - 1
        return switch language {
        case .english: "\(civil.day) \(englishMonths[month]) \(civil.year)"
        case .german: "\(CivilTime.padded(civil.day)).\(CivilTime.padded(civil.month)).\(civil.year)"
        case .russian: "\(civil.day) \(russianMonths[month]) \(civil.year) г."
        case .chinese: "\(civil.year)年\(civil.month)月\(civil.day)日"
        case .indonesian: "\(civil.day) \(indonesianMonths[month]) \(civil.year)"
        }
    }

    private static let englishMonths = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec",
    ]
    private static let russianMonths = [
        "янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.", "нояб.", "дек.",
    ]
    private static let indonesianMonths = [
        "Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des",
    ]
}

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
