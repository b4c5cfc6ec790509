import Synchronization

/// What was noted, by whatever thread, in that order.
public final class Notes: Sendable {
    private let kept = Mutex<[String]>([])

    public init() {}

    public var all: [String] { kept.withLock { $0 } }

    public func note(_ text: String) { kept.withLock { $0.append(text) } }

    /// Notes a line of a log.
    public func note(line: [UInt8]) { note(String(decoding: line, as: UTF8.self)) }
}
