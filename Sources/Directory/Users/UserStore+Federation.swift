public import Core
public import Platform
public import Postgres

// Users who sign in at a provider; SQL expressions come from the module Federation.
extension UserStore {
    /// Statement that adds a user with the `sub` of the provider, and yields it if there was none.
    ///
    /// - Parameter condition: an SQL condition; nothing is added when it is false.
    public static func insertion(
        of subject: Subject, called name: PersonName, in team: TeamID, at moment: Timestamp, when condition: SQL
    ) -> SQL {
        """
        INSERT INTO users (team_id, sub, given_name, family_name, created_at)
        SELECT \(team), \(subject), \(name.given), \(name.family), \(moment)
        WHERE \(condition)
        ON CONFLICT DO NOTHING
        RETURNING sub
        """
    }

    /// Statement that sets what a provider says of a user.
    ///
    /// - Parameters:
    ///   - subject: an SQL expression of the `sub`.
    ///   - email: nil keeps the address.
    ///   - name: used when the SQL condition `takesName` is true.
    ///   - condition: an SQL condition; nothing is changed when it is false.
    public static func profile(
        of subject: SQL, email: (address: EmailAddress, isVerified: Bool, isPrivate: Bool)?, name: PersonName,
        takesName: SQL, in team: TeamID, when condition: SQL
    ) -> SQL {
        """
        UPDATE users SET
            email = coalesce(\(email?.address), email),
            is_email_verified = CASE WHEN \(email != nil) THEN \(email?.isVerified ?? false)
                ELSE is_email_verified END,
            is_private_email = CASE WHEN \(email != nil) THEN \(email?.isPrivate ?? false)
                ELSE is_private_email END,
            given_name = CASE WHEN \(!name.isEmpty) AND \(takesName) THEN \(name.given) ELSE given_name END,
            family_name = CASE WHEN \(!name.isEmpty) AND \(takesName) THEN \(name.family) ELSE family_name END
        WHERE team_id = \(team) AND sub = \(subject) AND \(condition)
        """
    }

    /// Statement that sets the name found by `source`, a table of a WITH clause with `given_name` and `family_name`.
    ///
    /// - Parameters:
    ///   - subject: an SQL expression of the `sub`.
    ///   - condition: an SQL condition; nothing is changed when it is false.
    public static func renaming(_ subject: SQL, from source: SQL, in team: TeamID, when condition: SQL) -> SQL {
        """
        UPDATE users SET given_name = \(source).given_name, family_name = \(source).family_name
        FROM \(source)
        WHERE users.team_id = \(team) AND users.sub = \(subject) AND \(condition)
        """
    }
}
