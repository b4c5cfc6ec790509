import Crypto

/// A password that a person chose, within the rules of its team.
///
/// Length and what is easily guessed, no rules of composition (NIST SP 800-63B section 5.1.1.2); bytes are compared as
/// they are typed, which every browser does alike.
public struct NewPassword: Sendable {
    /// The most characters a password has, Unicode scalars as the rule counts them: at most four octets each, so the
    /// longest fits what Argon2id takes.
    public static let maximumLength = 200

    /// Why a password was refused.
    public enum Problem: Error, Hashable, Sendable {
        /// With the fewest characters it may have.
        case tooShort(Int)
        case tooLong
        /// Common passwords, words, patterns and dates alone are too few guesses away.
        case common
        /// It is made of what anybody knows who sees the account: its address, its name, the service.
        case personal
    }

    let text: String

    /// - Throws: `Problem`, of several the first in the order of its cases.
    public init(
        _ text: String,
        by rule: PasswordRule,
        with admission: consuming NewPasswordAdmission
    ) throws(Problem) {
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
