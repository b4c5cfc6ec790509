import Core
import Directory
import Platform
import Postgres

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
