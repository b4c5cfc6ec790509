import Crypto
import Domain

/// The domain under which people who hide their address are reached.
public struct RelayDomain: Sendable {
    private static let alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789")
    private static let length = 16

    public let name: String

    /// Nil when `name` is no host name that mail can be sent to.
    public init?(_ name: String) {
        let longest = String(repeating: "a", count: Self.length) + "@" + name
        guard EmailAddress(rawValue: longest) != nil else { return nil }
        self.name = name
    }

    /// A new address that tells nothing of its owner; 36^16 of them make a repetition unlikely, and a constraint
    /// refuses one.
    func address(_ random: RandomSource) -> String {
        random.text(Self.length, from: Self.alphabet) + "@" + name
    }
}
