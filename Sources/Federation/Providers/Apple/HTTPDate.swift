import Core

/// The time of an HTTP field in its usual form, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
struct HTTPDate: Sendable {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    let moment: Timestamp

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, let month = Self.months.firstIndex(of: String(parts[2])) else { return nil }
        let day = "\(parts[3])-\(CivilTime.padded(month + 1))-\(parts[1])"
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]),
            let midnight = Timestamp(day: day)
        else { return nil }
        moment = midnight + .seconds(clock[0] * 3600 + clock[1] * 60 + clock[2])
    }
}
