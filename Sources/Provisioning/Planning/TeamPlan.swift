import Domain
import Registry

/// The changes that lead one team to what the file says, in the order in which they can be made: what goes first,
/// so that its names and places are free.
struct TeamPlan: Sendable {
    /// What the file says of the team, and where.
    let entry: RegistryFile.Team
    let path: String
    let team: TeamID
    let changes: [Change]

    /// Compares what the file says of a team with what is there.
    ///
    /// - Parameters:
    ///   - file: the team's entry; `path` is where it stands in the file.
    ///   - registered: what the team has.
    /// - Throws: `Problems` with everything that the console would refuse too.
    init(
        _ file: RegistryFile.Team,
        at path: String,
        from registered: RegisteredTeam,
        _ options: ApplyOptions
    ) throws(Problems) {
        var planner = TeamPlanner(file, registered, options)
        let team = planner.planTeam()
        planner.planRemovals()
        planner.planAppIDs()
        planner.planServiceIDs()
        planner.planKeys()
        planner.planApple()
        planner.planEmailSources()
        planner.planUsers()
        guard let team, planner.problems.isEmpty else {
            throw Problems(planner.problems.map { $0.under(path) })
        }
        self.entry = file
        self.path = path
        self.team = team
        changes = planner.changes
    }
}

/// How a registry file is applied.
public struct ApplyOptions: Sendable {
    /// Says what would change, and changes nothing.
    public var isDryRun = false
    /// Removes what a list of the file does not name; lists that the file leaves out are left alone.
    public var prunes = false
    /// Takes the passwords of existing users too.
    public var resetsCredentials = false

    public init() {}
}
