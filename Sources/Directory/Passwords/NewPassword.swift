import Crypto

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

extension NewPassword: CustomStringConvertible, CustomReflectable {
    public var description: String { "NewPassword" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
