internal import Core

/// The date format of mail messages, such as `Fri, 20 Nov 2026 11:29:00 +0000` (RFC 5322 section 3.3).
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ moment: Timestamp) -> String {
        // The form is `2026-11-20T11:29:00Z`, which `Timestamp` checks.
        let parts = moment.description.split { "-TZ".contains($0) }
        let day = (moment.seconds / 86_400 % 7 + 7) % 7
        guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else {
            return moment.description
        }
        return "\(days[day]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
