public import Bytes
public import Domain
public import Postgres

extension UserStore {
    /// A proof has just been noted as a sign-in itself, so the answer that follows need not be.
    private static let precision = Duration.seconds(60)

    /// A part of a WITH clause that notes that the person signed in to an app, with whatever session.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written when it yields no row.
    public static func noting(
        signInOf subject: Subject,
        in team: TeamID,
        at now: Timestamp,
        when condition: SQL
    ) -> SQL {
        """
        noted AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
                AND (last_sign_in_at IS NULL OR last_sign_in_at < \(now - precision))
        )
        """
    }
}
