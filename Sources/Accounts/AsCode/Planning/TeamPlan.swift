import Platform
import Registry

/// The changes that make one team match the file, in the order of execution: removals first, to free names and slots.
struct TeamPlan: Sendable {
    /// The team's entry in the file; `path` is its position.
    let entry: RegistryFile.Team
    let path: String
    let team: TeamID
    let changes: [Change]

    /// Compares the file's entry of a team with the stored team.
    ///
    /// - Parameters:
    ///   - file: the team's entry; `path` is its position in the file.
    ///   - registered: the stored team.
    /// - Throws: `InvalidFields` with every error that the console would report too.
    init(_ file: RegistryFile.Team, at path: String, from registered: RegisteredTeam, _ options: ApplyOptions)
        throws(InvalidFields)
    {
        var planner = TeamPlanner(file, registered, options)
        let team = planner.planTeam()
        planner.planRemovals()
        planner.planAppIDs()
        planner.planServiceIDs()
        planner.planKeys()
        planner.planApple()
        planner.planEmailSources()
        planner.planUsers()
        guard let team, planner.problems.isEmpty else { throw InvalidFields(planner.problems.map { $0.under(path) }) }
        self.entry = file
        self.path = path
        self.team = team
        changes = planner.changes
    }
}

/// Options for applying a registry file.
public struct ApplyOptions: Sendable {
    /// Reports the changes without making them.
    public var isDryRun = false
    /// Removes what a list of the file does not name; lists absent from the file are left unchanged.
    public var prunes = false
    /// Also sets the passwords and authenticator apps of existing users.
    public var resetsCredentials = false

    public init() {}
}
