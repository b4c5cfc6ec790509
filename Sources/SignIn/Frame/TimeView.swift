public import Core
public import Templates

/// A time, rendered as a localized `<time>` element.
public struct TimeView: Sendable {
    public let moment: Timestamp

    public init(_ moment: Timestamp) { self.moment = moment }

    public static let fields = Fields<TimeView> { $0.words("text") { $0.moment } }
}
