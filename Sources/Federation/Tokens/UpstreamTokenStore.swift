import Core
import Crypto
import Platform
import Postgres

/// Stores the refresh tokens that providers issued, sealed, because each must be sent back to be revoked.
struct UpstreamTokenStore: Sendable {
    /// Interval between validations of a token: no shorter than Apple allows.
    static let validationInterval = Duration.seconds(86_400)

    private let sealer: Sealer

    init(server: ServerContext) { sealer = server.keyRing.sealer(purpose: "tokens of providers") }

    /// Refresh token as the provider issued it.
    struct New: Sendable {
        let text: String
        let provider: ProviderID
        let subject: Subject
        /// The provider's identifier of the user; nil if unknown.
        let identifier: Subject?
        let primaryAppID: ClientID
        let clientID: ClientID
        let at: Timestamp

        var id: [UInt8] { Array(SHA256.hash(text).prefix(16)) }
    }

    /// Statement that stores a token; storing the same one again changes nothing.
    ///
    /// The first validation is due at some time on the second day, so that users who sign in together are not validated
    /// together. Some insertions also delete the oldest tokens of the user and group beyond their quota: revoking
    /// any of them ends the whole authorization at the provider, so each of the others would be one more call without
    /// effect.
    ///
    /// - Parameter condition: a WHERE clause; nothing is stored when it does not hold.
    func insertion(of token: New, in team: TeamID, when condition: SQL = "") -> SQL {
        let id = token.id
        let sealed = sealer.seal(Array(token.text.utf8), context: Self.place(of: id, in: team))
        let spread = Duration.seconds(Int(id[0]) << 8 | Int(id[1])) * 86_400 / 65_536
        return """
            \(Self.isDue(id) ? trimming(before: token, in: team) : "")
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
            )
            SELECT \(team), \(id), \(token.provider), \(token.subject), \(token.identifier), \(token.primaryAppID),
                \(token.clientID), \(sealed), \(token.at), \(token.at + Self.validationInterval + spread)
            \(condition)
            ON CONFLICT DO NOTHING
            """
    }

    /// Whether storing a token trims those of its user: one in 16 does, chosen by the token's hash.
    static func isDue(_ id: [UInt8]) -> Bool { id[2] & 15 == 0 }

    /// WITH clause that deletes the oldest live tokens; those locked by other transactions stay until the next trim.
    private func trimming(before token: New, in team: TeamID) -> SQL {
        """
        WITH trimmed AS (
            DELETE FROM upstream_tokens WHERE team_id = \(team) AND token_id IN (
                SELECT token_id FROM upstream_tokens
                WHERE team_id = \(team) AND sub = \(token.subject) AND app_id = \(token.primaryAppID)
                    AND provider = \(token.provider) AND state = 'live'
                ORDER BY created_at DESC, token_id OFFSET \(Quota.upstreamTokens.count - 1) LIMIT 64
                FOR UPDATE SKIP LOCKED
            )
        )
        """
    }

    /// Text of a token; nil if the master key that sealed it is missing.
    func open(_ sealed: [UInt8], id: [UInt8], in team: TeamID) -> String? {
        sealer.open(sealed, context: Self.place(of: id, in: team)).flatMap { String(utf8: $0) }
    }

    /// Context that a sealed token is bound to.
    private static func place(of id: [UInt8], in team: TeamID) -> [String] {
        [team.rawValue, "upstream_tokens", Hex.encode(id), "token_sealed"]
    }
}

extension UpstreamTokenStore.New {
    /// Token issued for a code of a group; nil if the grant contains none.
    init?(
        _ token: UpstreamGrant.Token?, from provider: ProviderID, of subject: Subject, as identifier: Subject?,
        for primaryAppID: ClientID, at moment: Timestamp
    ) {
        guard let token else { return nil }
        text = token.text
        self.provider = provider
        self.subject = subject
        self.identifier = identifier
        self.primaryAppID = primaryAppID
        clientID = token.clientID
        at = moment
    }
}
