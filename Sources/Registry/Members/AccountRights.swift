import Core
import Directory
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

/// Withdraws invitations and app transfers that a member made by a right they lose.
///
/// Called in the transaction that takes the right away, after the membership is locked: the use of an invitation or
/// transfer locks the same row first, so it either comes before that or finds nothing.
enum RevokedRightStore {
    /// - Parameter role: the member's new role; nil for a member who leaves the team.
    static func end(
        of member: Subject, left role: Role?, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let kept = Role.allCases.filter { role?.mayManage($0) ?? false }.map(\.rawValue)
        let invitations = try await transaction.query(
            """
            DELETE FROM invitations
            WHERE team_id = \(team) AND invited_by = \(member) AND NOT role = ANY (\(kept))
            RETURNING invitation_id
            """)
        try await record("invitation", of: invitations.column(), in: team, by: actor, from: origin, transaction)
        if role?.rights.contains(.dangerZone) != true {
            for offer in try await AppTransferStore.withdrawAll(offeredBy: member, in: team, transaction) {
                let target = AuditEvent.Target("app_id", offer.appID.rawValue)
                try await AuditEvent(
                    "app_transfer.withdrawn", by: actor, on: target, from: origin,
                    after: ["from": .string(team.rawValue), "to": .string(offer.target.rawValue)]
                ).record(in: team, transaction)
            }
        }
        guard role?.rights.contains(.changeUsers) != true else { return }
        let people = try await UserInvitationStore.removeAll(by: member, in: team, transaction)
        try await record("user_invitation", of: people.map(\.rawValue), in: team, by: actor, from: origin, transaction)
    }

    private static func record(
        _ kind: String, of ids: [String], in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        for id in ids {
            let target = AuditEvent.Target(kind, id)
            let action = kind == "invitation" ? "invitation.withdrawn" : "user_invitation.withdrawn"
            try await AuditEvent(action, by: actor, on: target, from: origin).record(in: team, transaction)
        }
    }
}
