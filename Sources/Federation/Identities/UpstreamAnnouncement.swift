public import Core
import Directory
public import Platform
public import Postgres

/// User announced by a native app, with the name that is sent once, while the provider is asked to confirm the user.
///
/// The announcing code or token may be spent, and the name may be false: nothing of it changes a user before the
/// provider has confirmed it. An unlink from the provider deletes it.
public struct UpstreamAnnouncement: Sendable {
    let login: UpstreamLogin
    let hash: [UInt8]
    let heldUntil: Timestamp

    /// - Parameters:
    ///   - login: its form is stored, if it has one.
    ///   - hash: identifies the data handed over; an equal hash is a retry.
    ///   - end: time until which no other request continues it.
    public init(_ login: UpstreamLogin, as hash: [UInt8], heldUntil end: Timestamp) {
        self.login = login
        self.hash = hash
        heldUntil = end
    }

    /// Statement that deletes the announcements of a user who is unlinked from the provider, with the names.
    ///
    /// - Parameters:
    ///   - primaryAppID: nil for every group of apps.
    ///   - moment: later announcements are kept; nil deletes all.
    public static func removal(
        of subject: Subject, for primaryAppID: ClientID? = nil, until moment: Timestamp? = nil, in team: TeamID
    ) -> SQL {
        """
        DELETE FROM upstream_announcements
        WHERE team_id = \(team) AND sub = \(subject) AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
            AND (\(moment) IS NULL OR announced_at <= \(moment))
        """
    }

    /// Statement that deletes a confirmed announcement; yields a row if it still exists.
    public func removal(in team: TeamID) -> SQL {
        "DELETE FROM upstream_announcements WHERE \(own(team)) RETURNING announcement_hash"
    }

    private func own(_ team: TeamID) -> SQL {
        "team_id = \(team) AND announcement_hash = \(hash) AND held_until = \(heldUntil)"
    }
}

extension UpstreamAnnouncement {
    /// Serializes the announcements of one user to one group of apps, so that each counts the names stored before it.
    ///
    /// An advisory lock is used because there is no row yet that could be locked.
    func turn(in team: TeamID) -> SQL {
        let turn: SQL = """
            SELECT pg_advisory_xact_lock(hashtextextended(
                concat('announcements ', \(team)::text, ' ', \(login.linkedUser(team)), ' ', \(login.primaryAppID)::text), 0
            ))
            """
        return turn.locking(LockedRow("announcements", team.rawValue, login.identity.identifier.rawValue))
    }

    /// Statement that stores the announcement; a retry marks it as doubtful.
    ///
    /// The first try may have spent the code without receiving the answer. Beyond the quota, and if there is no name,
    /// the announcement is stored without one: the user can sign in all the same, with the name if the provider
    /// confirms it now.
    func insertion(in team: TeamID) -> SQL {
        let form = login.form
        return """
            INSERT INTO upstream_announcements AS known (
                team_id, announcement_hash, provider, sub, app_id, form_given_name, form_family_name, form_email, given_name,
                family_name, announced_at, held_until
            )
            SELECT \(team), \(hash), \(login.provider), \(login.linkedUser(team)), \(login.primaryAppID),
                CASE WHEN room.is_left THEN \(UpstreamForm.kept(form?.givenName))::text END,
                CASE WHEN room.is_left THEN \(UpstreamForm.kept(form?.familyName))::text END,
                CASE WHEN room.is_left THEN \(UpstreamForm.kept(form?.email))::text END,
                \(login.name.given), \(login.name.family), \(login.at), \(heldUntil)
            FROM (
                SELECT count(*) < \(Quota.announcedNames.count) AS is_left FROM upstream_announcements AS other
                WHERE other.team_id = \(team) AND other.sub = \(login.linkedUser(team))
                    AND other.app_id = \(login.primaryAppID) AND other.form_given_name IS NOT NULL
            ) AS room
            WHERE NOT \(login.isTaken(team)) AND \(login.stands(team))
            ON CONFLICT (team_id, announcement_hash) DO UPDATE SET sub = excluded.sub, held_until = excluded.held_until,
                is_doubtful = true
            """
    }

    /// Deletes an announcement rejected at the first try, and releases one that may have been confirmed, with its name.
    func dismissal(isRefused: Bool, in team: TeamID) -> [SQL] {
        [
            """
            DELETE FROM upstream_announcements
            WHERE \(own(team)) AND (form_given_name IS NULL OR \(isRefused) AND NOT is_doubtful)
            """, "UPDATE upstream_announcements SET held_until = announced_at WHERE \(own(team))",
        ]
    }
}
