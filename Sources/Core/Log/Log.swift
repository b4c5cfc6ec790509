public import EventLoop

/// Writes log lines.
///
/// A line contains IDs, codes, and reasons; never tokens, keys, passwords, or cookies.
public struct Log: Sendable {
    public enum Level: Int, Sendable, CaseIterable {
        case debug
        case info
        case warning
        case error

        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// The lowest level that is written.
    public let threshold: Level
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: receives each finished line; standard error except in tests.
    public init(threshold: Level, write: @escaping @Sendable ([UInt8]) -> Void = Log.standardError) {
        self.threshold = threshold
        self.write = write
    }

    /// Whether lines of `level` are written, for callers whose lines are expensive to build.
    public func tells(_ level: Level) -> Bool { level.rawValue >= threshold.rawValue }

    /// Writes one line: the time, the level, the event, and its members.
    public func callAsFunction(_ level: Level, _ event: StaticString, _ members: (StaticString, String?)...) {
        line(level, event, members)
    }

    /// Writes one line, with its members as an array.
    public func line(_ level: Level, _ event: StaticString, _ members: [(StaticString, String?)]) {
        if tells(level) { write(Self.text(level, event, members)) }
    }

    private static func text(_ level: Level, _ event: StaticString, _ members: [(StaticString, String?)]) -> [UInt8] {
        var json = JSONWriter()
        json.member("time", Timestamp.now().precise)
        json.member("level", level.name)
        json.member("event", event.description)
        for (name, value) in members { if let value { json.member(name, harmless(value)) } }
        return json.finish() + [UInt8(ascii: "\n")]
    }

    /// The value, or a placeholder for the whole value if it contains a secret, which untrusted input may do.
    private static func harmless(_ value: String) -> String {
        let value = value.cut(toOctets: 1256)
        return SecretKind.isFound(in: value, among: SecretKind.inLog) ? "(withheld)" : value.cut(toOctets: 1000)
    }

    /// Standard error; what its reader does not take in time is counted in a line of its own.
    public static let output = OutputQueue(2) { text(.warning, "log.dropped", [("count", String($0))]) }

    /// Writes each line to standard error, without waiting for it.
    public static let standardError: @Sendable ([UInt8]) -> Void = { output.write($0) }
}

extension Log {
    /// Runs work whose failure must not fail the calling operation; an error is logged as a warning instead.
    ///
    /// - Parameter request: ID of the request that the work belongs to, if any.
    /// - Returns: whether the work succeeded.
    @discardableResult public func attempt<Value>(
        _ event: StaticString, request: String? = nil, _ work: () async throws -> Value
    ) async -> Bool {
        do {
            _ = try await work()
            return true
        } catch {
            callAsFunction(.warning, event, ("request", request), ("cause", "\(describing: error)"))
            return false
        }
    }
}
