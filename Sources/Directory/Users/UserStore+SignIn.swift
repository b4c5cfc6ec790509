public import Core
public import Platform
public import Postgres

extension UserStore {
    /// Statement that ends the sign-ins of a user that are in progress.
    ///
    /// They contain proofs by a password or factor that was changed or removed, or of a user who is suspended now. A
    /// proof of an earlier credentials version creates no session.
    public static func endingSignIns(of subject: Subject, in team: TeamID) -> SQL {
        """
        UPDATE users SET credentials_version = credentials_version + 1
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    /// Shortest interval between two updates, because the proof before the answer was just recorded as a sign-in.
    private static let precision = Duration.seconds(60)

    /// Part of a WITH clause that records the time of the user's sign-in, whatever was recorded last.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written if it yields no row.
    public static func noting(everySignInOf subject: Subject, in team: TeamID, at now: Timestamp, when condition: SQL)
        -> SQL
    {
        """
        noted AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
        )
        """
    }

    /// Part of a WITH clause that records the time of the user's sign-in to an app, whatever the session.
    ///
    /// - Parameter condition: a FROM or WHERE clause; nothing is written if it yields no row.
    public static func noting(signInOf subject: Subject, in team: TeamID, at now: Timestamp, when condition: SQL) -> SQL
    {
        """
        noted AS (
            UPDATE users SET last_sign_in_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND EXISTS (SELECT \(condition))
                AND (last_sign_in_at IS NULL OR last_sign_in_at < \(now - precision))
        )
        """
    }
}
