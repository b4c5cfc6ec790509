// Log: one JSON object a line on standard error.
//
// Owns: the form of a line, levels, the refusal of what looks like a secret.
// Must not know: what is told.
// Standards: RFC 8259 (JSON), RFC 3339 (time).

import Bytes
import Glibc

/// Writes lines.
///
/// A line holds ids, codes and reasons; tokens, keys, passwords and cookies never.
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

    /// The least level that is written.
    public let threshold: Level
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: takes one finished line; standard error unless a test listens.
    public init(threshold: Level, write: @escaping @Sendable ([UInt8]) -> Void = Log.standardError) {
        self.threshold = threshold
        self.write = write
    }

    /// Whether lines of that level are written: asked where putting one together costs more than the question.
    public func tells(_ level: Level) -> Bool { level.rawValue >= threshold.rawValue }

    /// Writes one line: the time, the level, what happened, and its circumstances.
    public func callAsFunction(_ level: Level, _ event: StaticString, _ members: (StaticString, String?)...) {
        line(level, event, members)
    }

    /// The same for members that are handed on.
    public func line(_ level: Level, _ event: StaticString, _ members: [(StaticString, String?)]) {
        guard tells(level) else { return }
        var json = JSONWriter()
        json.member("time", Timestamp.now().precise)
        json.member("level", level.name)
        json.member("event", event.description)
        for (name, value) in members {
            if let value { json.member(name, Self.harmless(value)) }
        }
        write(json.finish() + [UInt8(ascii: "\n")])
    }

    /// What came from outside may hold what no log may show: one secret in it voids the whole value.
    private static func harmless(_ value: String) -> String {
        let value = value.cut(toOctets: 1256)
        return SecretKind.isFound(in: value, among: SecretKind.inLog)
            ? "(withheld)" : value.cut(toOctets: 1000)
    }

    /// Standard error, a line at a time.
    public static let standardError: @Sendable ([UInt8]) -> Void = { line in
        _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
