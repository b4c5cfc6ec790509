public import Crypto
public import Domain

/// A person about to be added to a team.
public struct NewUser: Sendable {
    public let name: PersonName
    public let email: EmailAddress?
    public let isEmailVerified: Bool
    /// What the person will sign in with, or nil for one who comes another way.
    public let login: LoginName?
    public let password: PasswordHash?

    /// - Parameters:
    ///   - login: the lower-cased address where none is given.
    ///   - password: already hashed, since that takes longer than a transaction should.
    public init(
        name: PersonName,
        email: EmailAddress?,
        isEmailVerified: Bool = false,
        login: LoginName? = nil,
        password: PasswordHash? = nil
    ) {
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.login = login ?? email.map(LoginName.init)
        self.password = password
    }
}
