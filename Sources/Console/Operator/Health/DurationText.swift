import Bytes
import Localization

/// Localized text of a duration in seconds, minutes, hours or days.
enum DurationText {
    private enum Unit { case seconds, minutes, hours, days }

    /// Length such as `3 minutes`, rounded down in the largest unit that it fills.
    static func length(_ duration: Duration) -> Message {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: false) {
        case .seconds: return Message("console.operator.spans.seconds", count: seconds)
        case .minutes: return Message("console.operator.spans.minutes", count: seconds / 60)
        case .hours: return Message("console.operator.spans.hours", count: seconds / 3600)
        case .days: return Message("console.operator.spans.days", count: seconds / 86_400)
        }
    }

    /// Interval such as `every 6 hours`, in the largest unit that divides it exactly.
    static func interval(_ duration: Duration) -> Message {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: true) {
        case .seconds: return Message("console.operator.spans.every.seconds", count: seconds)
        case .minutes: return Message("console.operator.spans.every.minutes", count: seconds / 60)
        case .hours: return Message("console.operator.spans.every.hours", count: seconds / 3600)
        case .days: return Message("console.operator.spans.every.days", count: seconds / 86_400)
        }
    }

    private static func unit(of seconds: Int, mustDivide: Bool) -> Unit {
        func fits(_ size: Int) -> Bool { seconds >= size && (!mustDivide || seconds.isMultiple(of: size)) }
        if fits(86_400) { return .days }
        if fits(3600) { return .hours }
        return fits(60) ? .minutes : .seconds
    }
}
