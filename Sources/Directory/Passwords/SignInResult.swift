/// What came of a login name and a password.
public enum SignInResult: Sendable {
    /// The person is who they say.
    case success(User)
    /// Name or password is wrong, or the person is suspended: nobody learns which.
    case wrong
    /// Too many wrong ones; nothing was compared.
    case locked(retryAfter: Duration)
    /// Too many were compared for this account or this network, right or wrong; this one was not.
    case tooMany(retryAfter: Duration)
    /// More sign-ins wait than a person would; nothing was counted.
    case busy
}
