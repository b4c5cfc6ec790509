import AuthEngine
import Bytes
import Web

extension SigningKeyRotation {
    /// When the next key comes, and from when on it signs.
    ///
    /// - Parameter newest: the start of the key that was made last.
    static func announcement(after newest: Timestamp, at now: Timestamp) -> Phrase {
        guard newest <= now else {
            return Phrase("console.signing-keys.next.waiting", ["start": newest])
        }
        let due = newest + period
        return Phrase("console.signing-keys.next", ["due": due, "start": due + lead])
    }

    /// The team has had as many keys made as it may for now.
    static func limitation(until moment: Timestamp) -> Phrase {
        Phrase("console.signing-keys.limited", ["limit": keysPerWindow, "until": moment])
    }
}
