import Core
import Directory
import Platform
import Postgres

/// Determines the status of a user's authorization for a group from stored data; the user must be locked.
struct UpstreamAuthorizationStore: Sendable {
    /// Maximum time between a revocation by this server and its date in the provider's notification; calls time out
    /// earlier.
    private static let echo = Duration.seconds(600)

    private let provider: ProviderID

    init(of provider: ProviderID) { self.provider = provider }

    /// Status of an authorization after its end at a given moment.
    enum Status: Equatable, Sendable {
        /// Nothing has begun since.
        case ended
        /// The user has signed in to the group again, and the provider has issued a token for it.
        case renewed
        /// The user has signed in again, but no token confirms it yet.
        case arriving
        /// The user signed in about then, and the provider has issued a token for it or not yet.
        case unclear(hasToken: Bool)
        /// It was ended by a revocation that this server requested.
        case endedByUs

        /// - Parameters:
        ///   - token: time of the newest live token of the group.
        ///   - login: time of the last sign-in to the group.
        ///   - isEcho: whether this server requested a revocation about then.
        init(at moment: Timestamp, token: Timestamp?, login: Timestamp?, isEcho: Bool) {
            let order = { (recorded: Timestamp?) in recorded.map { EventOrder(of: $0, toEventAt: moment) } ?? .older }
            self =
                switch (order(token), order(login)) {
                case (.newer, _): .renewed
                case (.unclear, _): .unclear(hasToken: true)
                case (.older, .newer): .arriving
                case (.older, _) where isEcho: .endedByUs
                case (.older, .unclear): .unclear(hasToken: false)
                case (.older, .older): .ended
                }
        }
    }

    /// Status of the authorization that ended at `moment`.
    ///
    /// - Parameters:
    ///   - identifier: the provider's identifier of the user: revocations of this account's tokens count even if they
    ///     belonged to another user here.
    ///   - horizon: rows dated later were written while a clock was ahead, and do not count.
    func status(
        of subject: Subject, as identifier: Subject?, for primaryAppID: ClientID, at moment: Timestamp,
        believing horizon: Timestamp, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Status {
        let tokens: SQL = """
            FROM provider_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND provider = \(provider)
                AND created_at <= \(horizon)
            """
        let rows = try await transaction.query(
            """
            SELECT (SELECT max(created_at) \(tokens) AND state = 'live'), arrival.at,
                EXISTS (
                    SELECT FROM provider_tokens
                    WHERE team_id = \(team) AND app_id = \(primaryAppID) AND provider = \(provider)
                        AND (sub = \(subject) OR identifier = \(identifier))
                        AND called_at BETWEEN \(moment - Self.echo) AND \(EventOrder.lastUnclear(toEventAt: moment))
                        AND (arrival.at IS NULL OR arrival.at <= called_at OR arrival.at > \(moment))
                )
            FROM (SELECT \(login(of: subject, for: primaryAppID, tokens, until: horizon, in: team))) AS arrival (at)
            """)
        guard var row = rows.first else { return .ended }
        return Status(at: moment, token: try row.next(), login: try row.next(), isEcho: try row.next())
    }

    /// Time of the user's last sign-in to the group through the provider.
    private func login(
        of subject: Subject, for primaryAppID: ClientID, _ tokens: SQL, until horizon: Timestamp, in team: TeamID
    ) -> SQL {
        """
        greatest(
            (SELECT max(created_at) \(tokens)),
            (
                SELECT max(came_at) FROM provider_identities
                WHERE team_id = \(team) AND sub = \(subject) AND provider = \(provider) AND came_to = \(primaryAppID)
                    AND came_at <= \(horizon)
            ),
            (
                SELECT granted_at FROM consents
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND granted_at <= \(horizon)
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
