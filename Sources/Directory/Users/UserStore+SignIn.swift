public import Bytes
public import Domain
public import Postgres

extension UserStore {
    /// The statement that ends a person's sign-ins under way: what was proved in them was a password or factor that has
    /// changed or gone, or is somebody's who is suspended now.
    ///
    /// A proof that is being noted meanwhile is of an earlier version, and makes no session either.
    public static func endingSignIns(of subject: Subject, in team: TeamID) -> SQL {
        """
        WITH \(endingSignIns(of: "\(subject)", in: team))
        SELECT FROM person
        """
    }

    /// The same as parts of a WITH clause, for a person whom an expression names.
    static func endingSignIns(of subject: SQL, in team: TeamID) -> SQL {
        """
        person AS (
            UPDATE users SET credentials_version = credentials_version + 1
            WHERE team_id = \(team) AND sub = \(subject)
            RETURNING sub
        ), ended_attempts AS (
            DELETE FROM attempts USING person
            WHERE attempts.team_id = \(team) AND attempts.sub = person.sub AND attempts.entered_at IS NULL
        )
        """
    }

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
