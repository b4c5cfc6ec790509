public import Domain

/// A password somebody chose, within the rules.
///
/// Eight characters at least and no rules of composition (NIST SP 800-63B section 5.1.1.2); bytes are compared as
/// they are typed, which every browser does alike.
public struct NewPassword: Sendable {
    public static let lengths = 8...200

    /// Why a password was refused.
    public enum Problem: Error, Hashable, Sendable {
        case tooShort
        case tooLong
        /// It is the e-mail address, the first thing anybody would try.
        case isEmail
    }

    let text: String

    /// The password `text` of the person with that address and login name.
    public init(_ text: String, email: EmailAddress?, login: LoginName? = nil) throws(Problem) {
        // Scalars, as the rule counts them: at most four octets each, so the longest fits what Argon2id takes.
        let length = text.unicodeScalars.count
        guard length >= Self.lengths.lowerBound else { throw .tooShort }
        guard length <= Self.lengths.upperBound else { throw .tooLong }
        let folded = text.lowercased()
        guard folded != email?.rawValue.lowercased(), folded != login?.rawValue else { throw .isEmail }
        self.text = text
    }
}

extension NewPassword: CustomStringConvertible, CustomReflectable {
    public var description: String { "NewPassword" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
