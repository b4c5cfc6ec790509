import Bytes

/// A length of time for people, in the largest unit that it fills.
enum SpanWords {
    private enum Unit {
        case seconds, minutes, hours, days
    }

    /// How long, such as `3 minutes`; what is over the unit is left out.
    static func length(_ duration: Duration) -> Phrase {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: false) {
        case .seconds: return Phrase("console.operator.spans.seconds", count: seconds)
        case .minutes: return Phrase("console.operator.spans.minutes", count: seconds / 60)
        case .hours: return Phrase("console.operator.spans.hours", count: seconds / 3600)
        case .days: return Phrase("console.operator.spans.days", count: seconds / 86_400)
        }
    }

    /// How often, such as `every 6 hours`, to the second.
    static func interval(_ duration: Duration) -> Phrase {
        let seconds = Int(duration.components.seconds)
        switch unit(of: seconds, mustDivide: true) {
        case .seconds: return Phrase("console.operator.spans.every.seconds", count: seconds)
        case .minutes: return Phrase("console.operator.spans.every.minutes", count: seconds / 60)
        case .hours: return Phrase("console.operator.spans.every.hours", count: seconds / 3600)
        case .days: return Phrase("console.operator.spans.every.days", count: seconds / 86_400)
        }
    }

    private static func unit(of seconds: Int, mustDivide: Bool) -> Unit {
        func fits(_ size: Int) -> Bool {
            seconds >= size && (!mustDivide || seconds.isMultiple(of: size))
        }
        if fits(86_400) { return .days }
        if fits(3600) { return .hours }
        return fits(60) ? .minutes : .seconds
    }
}
