public import Platform
public import Postgres

/// What a console account may access: its teams, and as an operator the installation.
public struct AccountRights: Sendable {
    /// Whether the account is an operator of the installation, as a member of the system team.
    public let isOperator: Bool
    /// Sorted by name, without the system team and deleted teams.
    public let memberships: [Membership]

    /// Returns the account's membership in a team, or nil, in which case it must not learn that the team exists.
    public func membership(in team: TeamID) -> Membership? { memberships.first { $0.team.id == team } }
}

/// Reads the rights of an account anew for every request, by one index lookup.
public struct AccountRightsStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    public func find(of account: Subject) async throws(PostgresFailure) -> AccountRights {
        let rows = try await database.query(
            """
            SELECT \(Team.columns), m.role
            FROM memberships m JOIN teams t ON t.team_id = m.team_id
            WHERE m.sub = \(account) AND t.deleted_at IS NULL
            ORDER BY lower(t.name), t.team_id
            """)
        var isOperator = false
        var memberships: [Membership] = []
        for var row in rows {
            let membership = Membership(team: try Team(&row), role: try row.next())
            if membership.team.isSystem {
                isOperator = membership.role == .operator
            } else {
                memberships.append(membership)
            }
        }
        return AccountRights(isOperator: isOperator, memberships: memberships)
    }
}
