public import Domain
public import Postgres

/// Where a console account may go: the teams it belongs to, and whether it runs the installation.
public struct AccountRights: Sendable {
    /// Whether it is a member of the system team itself.
    public let isOperator: Bool
    /// By name; the system team and deleted teams are in no list.
    public let memberships: [Membership]

    /// The account's membership in that team, or nil: then the team does not exist for it.
    public func membership(in team: TeamID) -> Membership? {
        memberships.first { $0.team.id == team }
    }
}

/// Reads what an account may do, anew for every request: one look into one index.
public struct AccountRightsStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    public func find(of account: Subject) async throws(PostgresFailure) -> AccountRights {
        let rows = try await database.query(
            """
            SELECT \(Team.columns), m.role
            FROM memberships m JOIN teams t ON t.team_id = m.team_id
            WHERE m.sub = \(account) AND t.deleted_at IS NULL
            ORDER BY lower(t.name), t.team_id
            """
        )
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
