import Bytes
import Localization
import OAuth
import Web

extension SigningKeyRotation {
    /// Message with the times when the next key is published and when it starts to sign.
    ///
    /// - Parameter newest: start of the key created last.
    static func announcement(after newest: Timestamp, at now: Timestamp) -> Message {
        guard newest <= now else { return Message("console.signing-keys.next.waiting", ["start": newest]) }
        let due = newest + period
        return Message("console.signing-keys.next", ["due": due, "start": due + lead])
    }
}
