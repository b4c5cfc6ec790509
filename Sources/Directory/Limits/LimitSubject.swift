import Bytes
import Crypto

/// What is counted, as the table keeps it.
///
/// What somebody typed is hashed: the rows outlive the try, and anything can be typed into a field.
public struct LimitSubject: Hashable, Sendable {
    let text: String

    private init(_ text: String) {
        self.text = text
    }

    /// Of one customer of a network.
    public static func address(_ kind: StaticString, _ ip: String) -> LimitSubject {
        LimitSubject("\(kind).address.\(GuessCounters.network(of: ip))")
    }

    /// Of an account, by a name somebody typed.
    public static func account(_ kind: StaticString, _ name: String) -> LimitSubject {
        LimitSubject("\(kind).account.\(Base64URL.encode(SHA256.hash(name)))")
    }

    /// Of the whole team.
    public static func team(_ kind: StaticString) -> LimitSubject {
        LimitSubject("\(kind).team")
    }
}
