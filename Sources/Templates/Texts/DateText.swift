public import Bytes

/// Moments in UTC as a language writes them; a page's script shows them in the reader's zone.
public enum DateText {
    /// Such as `20 Nov 2026, 11:29 UTC`.
    public static func text(_ moment: Timestamp, in language: Language) -> String {
        let civil = moment.civil
        let (hour, minute) = (CivilTime.padded(civil.hour), CivilTime.padded(civil.minute))
        let (day, month) = (CivilTime.padded(civil.day), CivilTime.padded(civil.month))
        switch language {
        case .english: return "\(moment.readable) UTC"
        case .german, .russian: return "\(day).\(month).\(civil.year), \(hour):\(minute) UTC"
        case .chinese: return "\(civil.year)年\(civil.month)月\(civil.day)日 \(hour):\(minute) UTC"
        case .indonesian:
            return "\(civil.day) \(indonesianMonths[civil.month - 1]) \(civil.year), \(hour).\(minute) UTC"
        }
    }

    private static let indonesianMonths = [
        "Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des",
    ]
}
