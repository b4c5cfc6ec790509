import Bytes
import Directory
import Domain
import Postgres

/// Reads how a person and a group of apps stand at a provider, by what is known here: the person must be locked.
struct ProviderAuthorizationStore: Sendable {
    /// How long after our revocation the provider may date what it tells of it; calls are given up much earlier.
    private static let echo = Duration.seconds(600)

    private let provider: ProviderID

    init(of provider: ProviderID) {
        self.provider = provider
    }

    /// What an end at some moment means by now.
    enum Standing: Equatable, Sendable {
        /// Nothing has begun since.
        case ended
        /// The person has come to the group again, and the provider has given a token for it.
        case renewed
        /// They have come again, and no token says so yet.
        case arriving
        /// It was our own revocation that ended it there.
        case endedByUs
    }

    /// What became of the authorization that ended at `moment`.
    ///
    /// - Parameters:
    ///   - identifier: what the provider calls the person: a token of the same account there, which was somebody else's
    ///     here, ended with ours.
    ///   - tolerance: by how much clocks may differ.
    ///   - horizon: what is dated later was written while a clock was ahead, and does not count.
    func standing(
        of subject: Subject,
        as identifier: Subject?,
        for group: ClientID,
        at moment: Timestamp,
        tolerating tolerance: Duration,
        believing horizon: Timestamp,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Standing {
        let tokens: SQL = """
            FROM provider_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND provider = \(provider)
                AND created_at <= \(horizon)
            """
        let latest = moment + tolerance
        let rows = try await transaction.query(
            """
            SELECT arrival.at > \(latest),
                EXISTS (SELECT \(tokens) AND state = 'live' AND created_at > \(latest)),
                EXISTS (
                    SELECT FROM provider_tokens
                    WHERE team_id = \(team) AND app_id = \(group) AND provider = \(provider)
                        AND (sub = \(subject) OR identifier = \(identifier))
                        AND called_at BETWEEN \(moment - Self.echo) AND \(latest)
                        AND (arrival.at IS NULL OR arrival.at <= called_at OR arrival.at > \(moment))
                )
            FROM (SELECT \(arrival(of: subject, for: group, tokens, until: horizon, in: team))) AS arrival (at)
            """
        )
        guard var row = rows.first else { return .ended }
        let hasCome: Bool = try row.next(Bool?.self) ?? false
        let (hasToken, isEcho): (Bool, Bool) = (try row.next(), try row.next())
        return hasToken ? .renewed : hasCome ? .arriving : isEcho ? .endedByUs : .ended
    }

    /// When the person last came to the group by way of the provider.
    private func arrival(
        of subject: Subject,
        for group: ClientID,
        _ tokens: SQL,
        until horizon: Timestamp,
        in team: TeamID
    ) -> SQL {
        """
        greatest(
            (SELECT max(created_at) \(tokens)),
            (
                SELECT max(came_at) FROM provider_identities
                WHERE team_id = \(team) AND sub = \(subject) AND provider = \(provider) AND came_to = \(group)
                    AND came_at <= \(horizon)
            ),
            (
                SELECT granted_at FROM consents
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND granted_at <= \(horizon)
                    AND (
                        consents.provider = \(provider) OR NOT EXISTS (
                            SELECT FROM provider_identities AS own
                            WHERE own.team_id = \(team) AND own.sub = \(subject) AND own.provider = \(provider)
                                AND own.linked_at IS NOT NULL
                        )
                    )
            )
        )
        """
    }
}
