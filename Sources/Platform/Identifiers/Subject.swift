public import Postgres

/// Stable id of a user inside one team (`sub` of OpenID Connect Core section 2); never an email address.
///
/// Generated ids have the format `000000.<32 hex>.0000`; a user created by a sign-in with Apple keeps Apple's `sub`.
public struct Subject: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.count <= 255, rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// Creates a subject from 32 hexadecimal digits, which the caller generates at random.
    public init(hexadecimal digits: String) { rawValue = "000000.\(digits).0000" }

    /// What stands where a `sub` is expected and no user is meant; no random subject is equal to it.
    public init(reserved name: StaticString) { rawValue = "\(name)" }

    public var description: String { rawValue }
}
