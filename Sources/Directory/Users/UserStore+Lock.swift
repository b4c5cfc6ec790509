public import Platform
public import Postgres

extension UserStore {
    /// Statement that locks a user against changes until its transaction ends; it yields a row if the user exists.
    ///
    /// Run it first. Transactions that issue something for the user, such as a code, and those that end it wait for
    /// each other on this lock: the second sees what the first has written.
    public static func lock(_ subject: Subject, in team: TeamID) -> SQL {
        lock("\(subject)", in: team).locking(.person(subject, in: team))
    }

    /// Statement that locks several users, always in the order of `sub`.
    public static func lock(_ subjects: [Subject], in team: TeamID) -> SQL {
        let lock: SQL = """
            SELECT FROM users WHERE team_id = \(team) AND sub = ANY (\(subjects.map(\.rawValue)))
            ORDER BY sub FOR NO KEY UPDATE
            """
        return lock.locking(subjects.count == 1 ? .person(subjects[0], in: team) : nil)
    }

    /// Statement that locks a user for deletion, so that no row that refers to the user is added either.
    public static func deletionLock(_ subject: Subject, in team: TeamID) -> SQL {
        let lock: SQL = "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR UPDATE"
        return lock.locking(.person(subject, in: team))
    }

    /// Statement that deletes a user with everything that refers to the user by a foreign key; lock the user first.
    public static func deletion(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM users WHERE team_id = \(team) AND sub = \(subject)"
    }

    /// Statement that locks the user whose `sub` an SQL expression yields.
    public static func lock(_ subject: SQL, in team: TeamID) -> SQL {
        "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR NO KEY UPDATE"
    }
}
