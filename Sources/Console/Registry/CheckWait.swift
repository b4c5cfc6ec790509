import Bytes

extension Phrase {
    /// The team had domains or records looked at too often; the wait is a minute at most.
    static func checksLimited(for wait: Duration) -> Phrase {
        Phrase("console.registry.checks.limited", count: Int(max(1, wait.components.seconds)))
    }
}
