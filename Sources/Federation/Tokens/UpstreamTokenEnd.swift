public import Platform
public import Postgres

/// End of upstream tokens, written in the statement of the change that makes them useless.
public enum UpstreamTokenEnd {
    /// Two parts of a WITH clause that enqueue the revocation of a user's live tokens.
    ///
    /// Splice them into the statement that makes the change, like those of a notification: a token leaves the state
    /// `live` once, so that it has one job, and only if the change is made.
    /// - Parameters:
    ///   - primaryAppID: the group whose tokens end; nil ends all of the user's.
    ///   - condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public static func parts(
        of subject: Subject, for primaryAppID: ClientID? = nil, in team: TeamID, when condition: SQL = ""
    ) -> SQL {
        parts(
            ofThose: """
                sub = \(subject) AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                    AND state = 'live' AND EXISTS (SELECT \(condition))
                """, in: team)
    }

    /// Two parts of a WITH clause that enqueue the revocation of the tokens that meet a condition.
    static func parts(ofThose condition: SQL, in team: TeamID) -> SQL {
        """
        upstream_ended AS (
            UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
            WHERE team_id = \(team) AND \(condition)
            RETURNING token_id
        ), upstream_jobs AS (
            \(UpstreamRevocation.insertion(in: team, for: Self.payloads))
        )
        """
    }

    private static let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended"
}
