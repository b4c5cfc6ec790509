import Core
import Crypto
public import Postgres

/// Id of a provider that users sign in at: a lowercase letter, then up to 31 lowercase letters, digits and hyphens.
///
/// Which providers there are is up to the release: rows of one that this release does not have are left to the release
/// that wrote them.
public struct ProviderID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// Words for a team's own ways to sign in, which stand where the id of a provider may.
    private static let taken: Set<String> = ["directory", "password", "passkey", "totp"]

    public init?(rawValue: String) {
        let isLetter = { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 as UInt8) }
        guard rawValue.utf8.count <= 32, let first = rawValue.utf8.first, isLetter(first),
            !Self.taken.contains(rawValue),
            rawValue.utf8.allSatisfy({ isLetter($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) { self.rawValue = rawValue }

    public static let apple = ProviderID(known: "apple")

    public var description: String { rawValue }
}
