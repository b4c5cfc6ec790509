import Bytes
import Domain

/// What a team has decided about the tokens it issues.
struct TokenRules: Sendable {
    /// How long an `id_token` lasts.
    var idTokenLife = TokenLifetime.idToken
    /// By client, and under `TokenCutoff.everyClient` for the whole team: what was issued before is dead.
    var cutoffs: [String: Timestamp] = [:]

    /// The moment before which nothing that was issued to `client` counts any more: the strictest rule wins.
    func cutoff(of client: ClientID) -> Timestamp {
        let own = cutoffs[client.rawValue] ?? Self.never
        let team = cutoffs[TokenCutoff.everyClient] ?? Self.never
        return max(own, team)
    }

    /// Before every token.
    static let never = Timestamp(seconds: 0)
}
