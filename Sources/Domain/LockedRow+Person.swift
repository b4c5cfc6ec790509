public import Postgres

extension LockedRow {
    /// A person's row, which whoever gives or ends anything in their name locks.
    public static func person(_ subject: Subject, in team: TeamID) -> LockedRow {
        LockedRow("users", team.rawValue, subject.rawValue)
    }

    /// A team's row: whoever counts its registrations locks it, and any change of its registry its version.
    public static func team(_ id: TeamID) -> LockedRow {
        LockedRow("teams", id.rawValue)
    }
}
