import Bytes
import Localization

extension Message {
    /// Error for exceeding the limit on checks of domains and DNS records; the wait is at most a minute.
    static func checksLimited(for wait: Duration) -> Message {
        Message("console.registry.checks.limited", count: Int(max(1, wait.components.seconds)))
    }
}
