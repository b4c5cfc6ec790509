/// A date and time of day in the proleptic Gregorian calendar, in UTC.
public struct CivilTime: Sendable {
    public let year: Int
    public let month: Int
    public let day: Int
    public let hour: Int
    public let minute: Int
    public let second: Int

    /// Computes the date by 400-year eras that begin in March, so that the leap day is the last day of a year.
    init(secondsSince1970 seconds: Int) {
        let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let days = remainder < 0 ? quotient - 1 : quotient
        let rest = remainder < 0 ? remainder + 86_400 : remainder
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var date: String {
        let text = String(year)
        let zeros = String(repeating: "0", count: max(0, 4 - text.utf8.count))
        return "\(zeros)\(text)-\(Self.padded(month))-\(Self.padded(day))"
    }

    /// The value in at least two decimal digits.
    public static func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
}
