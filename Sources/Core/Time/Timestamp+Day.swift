extension Timestamp {
    /// The start of a day in UTC, from the format of HTML date fields, such as `2026-11-20`.
    ///
    /// Returns nil if the text is not a day of the years 1970 to 9999.
    public init?(day text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1970...9999).contains(year), (1...12).contains(month)
        else { return nil }
        // Years begin in March, so that the leap day comes last, as in `CivilTime`.
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        let moment = Timestamp(seconds: days * 86_400)
        guard moment.description.hasPrefix(text) else { return nil }
        self = moment
    }
}
