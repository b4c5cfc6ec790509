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
    static func end(of member: Subject, left role: Role?, _ change: borrowing Change) async throws {
        let kept = Role.allCases.filter { role?.mayManage($0) ?? false }.map(\.rawValue)
        let invitations = try await change.query(
            """
            DELETE FROM invitations
            WHERE team_id = \(change.team) AND invited_by = \(member) AND NOT role = ANY (\(kept))
            RETURNING invitation_id
            """)
        try await record("invitation", of: invitations.column(), change)
        if role?.rights.contains(.dangerZone) != true {
            for offer in try await AppTransferStore.withdrawAll(offeredBy: member, change) {
                try await change.record(
                    "app_transfer.withdrawn", .appID(offer.appID),
                    to: ["from": .string(change.team.rawValue), "to": .string(offer.target.rawValue)])
            }
        }
        guard role?.rights.contains(.changeUsers) != true else { return }
        let people = try await UserInvitationStore.removeAll(by: member, change)
        try await record("user_invitation", of: people.map(\.rawValue), change)
    }

    private static func record(_ kind: String, of ids: [String], _ change: borrowing Change) async throws {
        for id in ids {
            let action = kind == "invitation" ? "invitation.withdrawn" : "user_invitation.withdrawn"
            try await change.record(action, AuditEvent.Target(kind, id))
        }
    }
}
