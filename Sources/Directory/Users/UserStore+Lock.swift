public import Domain
public import Postgres

extension UserStore {
    /// The statement that keeps a person from changing until its transaction ends; yields a row when the team has them.
    ///
    /// Run it first. Whoever gives something in the person's name, such as a code, and whoever ends what was given
    /// wait for one another here: what the first has written is seen by the second.
    public static func lock(_ subject: Subject, in team: TeamID) -> SQL {
        lock("\(subject)", in: team).locking(.person(subject, in: team))
    }

    /// The same of several people, in one order whoever asks.
    public static func lock(_ subjects: [Subject], in team: TeamID) -> SQL {
        let lock: SQL = """
            SELECT FROM users WHERE team_id = \(team) AND sub = ANY (\(subjects.map(\.rawValue)))
            ORDER BY sub FOR NO KEY UPDATE
            """
        return lock.locking(subjects.count == 1 ? .person(subjects[0], in: team) : nil)
    }

    /// The same for whoever deletes the person: nothing that refers to them is added meanwhile either.
    public static func deletionLock(_ subject: Subject, in team: TeamID) -> SQL {
        let lock: SQL = "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR UPDATE"
        return lock.locking(.person(subject, in: team))
    }

    /// The same of a person whom an expression names.
    static func lock(_ subject: SQL, in team: TeamID) -> SQL {
        "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR NO KEY UPDATE"
    }
}
