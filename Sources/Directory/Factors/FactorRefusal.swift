/// Reason why a change of factors was rejected.
public enum FactorRefusal: Error, Hashable, Sendable {
    /// It is the user's only factor, and the team requires one.
    case lastOne
    /// The user has as many passkeys as allowed.
    case tooMany
    /// A user of the team has that passkey already.
    case taken
    /// The code does not match the authenticator app.
    case wrongCode
    /// The response is invalid or too old.
    case notProved
    /// The factor or the user does not exist.
    case unknown
    /// The user has a factor already, and has not proved it.
    case notFirst
    /// The interaction or session for the enrolment has ended.
    case expired
}
