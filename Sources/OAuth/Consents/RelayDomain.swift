import Crypto
import Platform

/// Domain of the relay addresses of users who hide their email address.
public struct RelayDomain: Sendable {
    private static let alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789")
    private static let length = 16

    public let name: String

    /// Creates the domain; nil if `name` is not a host name that mail can be sent to.
    public init?(_ name: String) {
        let longest = String(repeating: "a", count: Self.length) + "@" + name
        guard EmailAddress(rawValue: longest) != nil else { return nil }
        self.name = name
    }

    /// Draws a new random address, which reveals nothing about its user.
    ///
    /// With 36^16 possible addresses a duplicate is unlikely, and a database constraint rejects it.
    func address(_ random: RandomSource) -> String { random.text(Self.length, from: Self.alphabet) + "@" + name }
}
