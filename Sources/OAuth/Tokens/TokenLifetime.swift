import Core

/// Lifetimes of the engine's codes and tokens.
enum TokenLifetime {
    /// Lifetime of authorization codes: five minutes, as at Apple.
    static let code = Duration.seconds(300)
    /// Lifetime of access tokens, equal to Apple's `expires_in`.
    static let accessToken = Duration.seconds(3600)
    /// A time before all tokens.
    static let never = Timestamp(seconds: 0)
    /// Longest lifetime a team may choose, and that of a notification; a retired key stays published for that time.
    static let longestSigned = Duration.seconds(86_400)
    /// Offset of `iat` into the past, because clients check it without tolerance.
    static let backdating = Duration.seconds(10)
}
