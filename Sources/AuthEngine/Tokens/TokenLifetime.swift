/// How long what the engine issues lasts.
enum TokenLifetime {
    /// Apple: codes live five minutes.
    static let code = Duration.seconds(300)
    /// Apple's `expires_in`.
    static let accessToken = Duration.seconds(3600)
    /// As short as Apple's first ones: an app checks the token when it gets it, and keeps a session of its own.
    ///
    /// A team may choose another life.
    static let idToken = Duration.seconds(600)
    /// The longest life a team may choose, and that of a notice: a key that signed is published for so long.
    static let longestSigned = Duration.seconds(86_400)
    /// Clients test `iat` without leeway, so it lies a little in the past.
    static let backdating = Duration.seconds(10)
}
