import Audit
import Bytes
import Domain
import Postgres

/// Ends what a member has made by a right that they lose: it is worth nothing from then on.
///
/// In the transaction that takes the right away, after the membership is locked: who uses such a thing holds the same row
/// first, and so is either before that or finds nothing.
enum LostRightStore {
    /// - Parameter role: the one they have from now on; nil for a member who is gone.
    static func end(
        of member: Subject,
        left role: Role?,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let kept = Role.allCases.filter { role?.mayManage($0) ?? false }.map(\.rawValue)
        let invitations = try await transaction.query(
            """
            DELETE FROM invitations
            WHERE team_id = \(team) AND invited_by = \(member) AND NOT role = ANY (\(kept))
            RETURNING invitation_id
            """
        )
        try await record("invitation", of: invitations, in: team, by: actor, from: origin, transaction)
        if role?.rights.contains(.dangerZone) != true {
            let offers = try await transaction.query(
                """
                UPDATE app_transfers SET state = 'withdrawn', settled_at = clock_timestamp()
                WHERE team_id = \(team) AND offered_by = \(member) AND state = 'offered'
                RETURNING app_id, target_team
                """
            )
            for var row in offers {
                let target = AuditEvent.Target("app_id", try row.next())
                try await AuditEvent(
                    "app_transfer.withdrawn",
                    by: actor,
                    on: target,
                    from: origin,
                    after: ["from": .string(team.rawValue), "to": .string(try row.next())]
                )
                .record(in: team, transaction)
            }
        }
        guard role?.rights.contains(.changeUsers) != true else { return }
        let people = try await transaction.query(
            """
            DELETE FROM mailed_links
            WHERE team_id = \(team) AND purpose = 'invitation' AND invited_by = \(member)
            RETURNING invitation_id
            """
        )
        try await record("user_invitation", of: people, in: team, by: actor, from: origin, transaction)
    }

    private static func record(
        _ kind: String,
        of rows: Rows,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        for var row in rows {
            let target = AuditEvent.Target(kind, try row.next())
            let action = kind == "invitation" ? "invitation.withdrawn" : "user_invitation.withdrawn"
            try await AuditEvent(action, by: actor, on: target, from: origin).record(in: team, transaction)
        }
    }
}
