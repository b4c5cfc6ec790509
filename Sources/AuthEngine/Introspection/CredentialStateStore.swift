import Domain
import Postgres

/// Reads how a person and a group of apps stand, in one statement.
struct CredentialStateStore: Sendable {
    let database: TeamDatabase

    /// The state of one person.
    ///
    /// A consent that stands is `authorized`; one that ended has left tokens behind, by which it is known. Someone
    /// suspended may not sign in, which an app treats as it treats a revocation. What a provider has said of the person
    /// goes before their consent; that it ended concerns the groups it holds no live token for and, of a person who has
    /// connected an account there, those they came to on its sheet. A group that another team has taken is `transferred`
    /// for good, unless it came back since.
    func state(
        of subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> CredentialState {
        let rows = try await database.query(Self.selection(of: subject, for: group, in: team), in: team)
        guard var row = rows.first else { return .notFound }
        return try Standing(&row).state
    }

    static func selection(of subject: Subject, for group: ClientID, in team: TeamID) -> SQL {
        """
        SELECT suspended_at IS NOT NULL,
            (
                SELECT state FROM provider_identities AS identity
                WHERE team_id = \(team) AND sub = \(subject)
                    AND (
                        linked_at IS NULL OR EXISTS (
                            SELECT FROM consents
                            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
                                AND consents.provider = identity.provider
                        )
                    )
                ORDER BY last_seen_at DESC LIMIT 1
            ),
            EXISTS (
                SELECT FROM provider_tokens
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND state = 'live'
            ),
            EXISTS (
                SELECT FROM consents
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
            ),
            EXISTS (
                SELECT FROM refresh_tokens
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND trial_id IS NULL
                UNION ALL
                SELECT FROM provider_tokens
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
            ),
            coalesce((
                SELECT went FROM (
                    (
                        SELECT true AS went, settled_at FROM app_transfers
                        WHERE team_id = \(team) AND app_id = \(group) AND state = 'accepted'
                        ORDER BY settled_at DESC LIMIT 1
                    )
                    UNION ALL
                    (
                        SELECT false, settled_at FROM app_transfers
                        WHERE target_team = \(team) AND app_id = \(group) AND state = 'accepted'
                        ORDER BY settled_at DESC LIMIT 1
                    )
                ) AS moves
                ORDER BY settled_at DESC LIMIT 1
            ), false)
        FROM users
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    private struct Standing {
        let isSuspended: Bool
        let providerState: String?
        let hasLiveToken: Bool
        let hasConsent: Bool
        let hadTokens: Bool
        let hasMoved: Bool

        init(_ row: inout Row) throws(PostgresFailure) {
            isSuspended = try row.next()
            providerState = try row.next()
            hasLiveToken = try row.next()
            hasConsent = try row.next()
            hadTokens = try row.next()
            hasMoved = try row.next()
        }

        var state: CredentialState {
            guard hasConsent else { return hadTokens ? .revoked : .notFound }
            if isSuspended || providerState == "revoked" && !hasLiveToken { return .revoked }
            return hasMoved ? .transferred : .authorized
        }
    }
}
