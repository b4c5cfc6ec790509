public import Crypto
public import Platform

/// User to be added to a team.
public struct NewUser: Sendable {
    public let name: PersonName
    public let email: EmailAddress?
    public let isEmailVerified: Bool
    /// Login name; nil for a user who signs in another way.
    public let login: LoginName?
    public let password: PasswordHash?

    /// - Parameters:
    ///   - login: the lower-cased address if nil.
    ///   - password: hashed beforehand, because hashing takes longer than a transaction should.
    public init(
        name: PersonName, email: EmailAddress?, isEmailVerified: Bool = false, login: LoginName? = nil,
        password: PasswordHash? = nil
    ) {
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.login = login ?? email.map(LoginName.init)
        self.password = password
    }
}
