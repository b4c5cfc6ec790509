public import Platform

/// Result of a sign-in by login name and password.
public enum SignInResult: Sendable {
    /// The credentials are right.
    case success(User)
    /// The name or password is wrong, or the user is suspended; the answer does not reveal which.
    case wrong
    /// Too many wrong passwords; nothing was compared.
    case locked(TooManyRequests)
    /// The queue is longer than a user would wait; the try does not count.
    case busy
}
