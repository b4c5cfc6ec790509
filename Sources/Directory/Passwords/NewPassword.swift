public import Core
import Crypto
import EventLoop
public import Platform
import Postgres

/// Password that a user chose, checked against the rules of its team.
///
/// Length and guessability are checked, without rules of composition (NIST SP 800-63B section 5.1.1.2), of the
/// normalized text, which is what is hashed.
public struct NewPassword: Sendable {
    /// Most characters of a password, in Unicode scalars.
    ///
    /// A scalar has at most four octets, so the longest password fits what Argon2id accepts.
    public static let maximumLength = 200

    /// Reason why a password was rejected.
    public enum Problem: Error, Hashable, Sendable {
        /// The associated value is the minimum number of characters.
        case tooShort(Int)
        case tooLong
        /// Common passwords, words, patterns and dates alone take too few guesses.
        case common
        /// Consists of data known to everyone who sees the account: its address, its name, the service.
        case personal
    }

    /// The password, normalized.
    let text: String

    /// Checks a password against `rule`.
    ///
    /// - Throws: `Problem`; if several apply, the first in the order of its cases.
    public init(_ typed: String, by rule: PasswordRule) throws(Problem) {
        let text = typed.normalizedPassword
        let length = text.unicodeScalars.prefix(Self.maximumLength + 1).count
        guard length >= rule.minimumLength else { throw .tooShort(rule.minimumLength) }
        guard length <= Self.maximumLength else { throw .tooLong }
        guard PasswordStrength(of: text) >= .enough else { throw .common }
        guard !rule.isMadeOfWords(text), PasswordStrength(of: text, knowing: rule.words) >= .enough else {
            throw .personal
        }
        self.text = text
    }
}

extension String {
    /// The text as a password: in Unicode normalization form C, every space as U+0020 (RFC 8265 section 4.2.2,
    /// OpaqueString; NIST SP 800-63B section 5.1.1.2).
    ///
    /// Keyboards write the same letter as one scalar or as two.
    var normalizedPassword: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return String(scalars).normalizedC
    }

    /// Whether the text is short enough to be a password.
    var isPossiblePassword: Bool {
        unicodeScalars.prefix(NewPassword.maximumLength + 1).count <= NewPassword.maximumLength
    }
}

extension NewPassword: CustomStringConvertible, CustomReflectable {
    public var description: String { "NewPassword" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension NewPassword.Problem {
    /// Message that describes the problem and how to fix it.
    public var words: Message {
        switch self {
        case .tooShort(let minimum): Message("shared.passwords.too-short", count: minimum)
        case .tooLong: Message("shared.passwords.too-long", count: NewPassword.maximumLength)
        case .common: Message("shared.passwords.common")
        case .personal: Message("shared.passwords.personal")
        }
    }
}

/// Checks new passwords, off the event loops and limited per network.
///
/// A check takes up to some 60 ms of a core, and a rejected password changes nothing.
public struct NewPasswords: Sendable {
    private let database: TeamDatabase
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        self.database = database
        self.hasher = hasher
    }

    /// Checks a password against the rules of its team.
    ///
    /// - Throws: `TooManyRequests`, `PasswordHasher.Busy`, `PostgresFailure`.
    public func judge(_ text: String, by rule: PasswordRule, in team: TeamID, from origin: Origin, at now: Timestamp)
        async throws -> Result<NewPassword, NewPassword.Problem>
    {
        try await database.count([RateLimit.Use(.unauthenticatedWrites, by: .network(origin.ip))], in: team, at: now)
        do {
            return try await hasher.judges.run(for: origin.owner(in: team)) {
                Result { () throws(NewPassword.Problem) in try NewPassword(text, by: rule) }
            }
        } catch { throw PasswordHasher.Busy() }
    }
}
