public import Domain
public import Postgres

extension UserStore {
    /// The statement that keeps a person from changing until its transaction ends; yields a row when the team has them.
    ///
    /// Run it first. Whoever gives something in the person's name, such as a code, and whoever ends what was given
    /// wait for one another here: what the first has written is seen by the second.
    public static func lock(_ subject: Subject, in team: TeamID) -> SQL {
        lock("\(subject)", in: team)
    }

    /// The same of a person whom an expression names.
    static func lock(_ subject: SQL, in team: TeamID) -> SQL {
        "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR NO KEY UPDATE"
    }
}
