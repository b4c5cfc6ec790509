import Domain
import Jobs
import Postgres

/// The end of tokens that a provider gave, written with the change that makes them useless.
enum ProviderTokenEnd {
    /// Two parts of a WITH clause that put the revocation of a person's live tokens into the outbox.
    ///
    /// Splice them into the statement that makes the change, as those of a notice: a token is taken out of `live` once, so
    /// that there is one job for it, and only if the change is made.
    /// - Parameters:
    ///   - group: the group whose tokens end; nil ends all of the person's.
    ///   - condition: a FROM or WHERE clause; nothing is written when it yields no row.
    static func parts(
        of subject: Subject,
        for group: ClientID? = nil,
        in team: TeamID,
        when condition: SQL = ""
    ) -> SQL {
        parts(
            ofThose: """
                sub = \(subject) AND (\(group) IS NULL OR app_id = \(group))
                    AND state = 'live' AND EXISTS (SELECT \(condition))
                """,
            in: team
        )
    }

    /// The same for the tokens that meet a condition.
    static func parts(ofThose condition: SQL, in team: TeamID) -> SQL {
        """
        provider_ended AS (
            UPDATE provider_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
            WHERE team_id = \(team) AND \(condition)
            RETURNING token_id
        ), provider_jobs AS (
            \(ProviderRevocation.insertion(in: team, for: Self.payloads))
        )
        """
    }

    private static let payloads: SQL =
        "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM provider_ended"
}
