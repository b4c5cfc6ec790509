import Core
import Platform

/// A team's settings for the tokens it issues.
struct TokenRules: Sendable {
    /// Lifetime of an `id_token`.
    var idTokenLife = TokenLifetime.idToken
    /// Not-befores by client, with `NotBeforeScope.everyClient` for the whole team: tokens issued earlier are invalid.
    var notBefores: [String: Timestamp] = [:]

    /// The time before which tokens issued to `client` are invalid: the later of the client's and the team's.
    func notBefore(of client: ClientID) -> Timestamp {
        let own = notBefores[client.rawValue] ?? Self.never
        let team = notBefores[NotBeforeScope.everyClient] ?? Self.never
        return max(own, team)
    }

    /// A time before all tokens.
    static let never = Timestamp(seconds: 0)
}
