public import Postgres

extension LockedRow {
    /// A user's row in `users`, locked by transactions that grant or end anything in the user's name.
    public static func person(_ subject: Subject, in team: TeamID) -> LockedRow {
        LockedRow("users", team.rawValue, subject.rawValue)
    }

    /// A team's row in `teams`, locked to count the team's registrations and to raise its registry version.
    public static func team(_ id: TeamID) -> LockedRow { LockedRow("teams", id.rawValue) }
}
