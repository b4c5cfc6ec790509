import Bytes
import Crypto
import Directory
import Domain
import Postgres

/// Keeps the refresh tokens that providers gave, sealed: each must be sent back to be revoked.
struct ProviderTokenStore: Sendable {
    /// How often a provider is asked whether a token still lives: no more than Apple allows.
    static let validationInterval = Duration.seconds(86_400)

    private let sealer: Sealer

    init(context: EngineContext) {
        sealer = context.keyRing.sealer(purpose: "tokens of providers")
    }

    /// A token as it came.
    struct New: Sendable {
        let text: String
        let provider: ProviderID
        let subject: Subject
        /// The provider's name for the person; nil where nobody can say.
        let identifier: Subject?
        let group: ClientID
        let clientID: ClientID
        let at: Timestamp

        var id: [UInt8] { Array(SHA256.hash(text).prefix(16)) }
    }

    /// Stores a token; the same one a second time changes nothing.
    ///
    /// Its first validation falls somewhere into the day after the next: people who come at once are not asked about at
    /// once.
    ///
    /// - Parameter condition: a WHERE clause; nothing is stored when it does not hold.
    func insertion(of token: New, in team: TeamID, when condition: SQL = "") -> SQL {
        let id = token.id
        let sealed = sealer.seal(Array(token.text.utf8), context: Self.place(of: id, in: team))
        let spread = Duration.seconds(Int(id[0]) << 8 | Int(id[1])) * 86_400 / 65_536
        return """
            INSERT INTO provider_tokens (
                team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
            )
            SELECT \(team), \(id), \(token.provider), \(token.subject), \(token.identifier), \(token.group),
                \(token.clientID), \(sealed), \(token.at), \(token.at + Self.validationInterval + spread)
            \(condition)
            ON CONFLICT DO NOTHING
            """
    }

    /// The text of a token, or nil when the master key that sealed it is not here.
    func open(_ sealed: [UInt8], id: [UInt8], in team: TeamID) -> String? {
        sealer.open(sealed, context: Self.place(of: id, in: team)).flatMap { String(utf8: $0) }
    }

    /// What a sealed token is bound to.
    private static func place(of id: [UInt8], in team: TeamID) -> [String] {
        [team.rawValue, "provider_tokens", Hex.encode(id), "token_sealed"]
    }
}

extension ProviderTokenStore.New {
    /// What a code gave for a group of apps; nil where no token was among it.
    init?(
        _ token: ProviderGrant.Token?,
        from provider: ProviderID,
        of subject: Subject,
        as identifier: Subject?,
        for group: ClientID,
        at moment: Timestamp
    ) {
        guard let token else { return nil }
        text = token.text
        self.provider = provider
        self.subject = subject
        self.identifier = identifier
        self.group = group
        clientID = token.clientID
        at = moment
    }
}
