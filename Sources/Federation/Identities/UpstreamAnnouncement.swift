public import Core
import Directory
import OAuth
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
            WHERE NOT \(login.isTaken(team))
            ON CONFLICT (team_id, announcement_hash) DO UPDATE SET sub = excluded.sub, held_until = excluded.held_until,
                is_doubtful = true
            """
    }

    /// Yields the user it would be, and whether the provider's identifier belongs to another user.
    func residence(in team: TeamID) -> SQL {
        """
        SELECT \(UserStore.columns), \(login.isTaken(team))
        FROM users u WHERE u.team_id = \(team) AND u.sub = \(login.linkedUser(team))
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

/// Names that were announced to a group of apps for the user of a login, and that no request is processing any more.
struct WaitingNames {
    let login: UpstreamLogin
    let primaryAppID: ClientID
    let team: TeamID

    /// The announcements of a user, for a FROM clause.
    func rows(of subject: SQL) -> SQL {
        """
        upstream_announcements AS waiting
            WHERE waiting.team_id = \(team) AND waiting.sub = \(subject) AND waiting.app_id = \(primaryAppID)
                AND waiting.held_until <= \(login.at)
        """
    }

    /// Sets a name that was announced and never confirmed, now that the user has signed in without a name.
    ///
    /// The earliest name is used. It replaces no name that was delivered to apps, and all waiting names are deleted in
    /// any case.
    var settlement: SQL {
        let (subject, isLinked, hasToldName) = (login.subject(team), login.isLinked(team), login.hasToldName(team))
        let isOwn: SQL = "late.is_called AND NOT \(hasToldName) AND NOT \(isLinked) AND NOT \(login.hasLogin(team))"
        let isWanted: SQL = """
            late.is_called AND NOT \(isLinked) AND (NOT known.shares_name OR known.delivered_at IS NULL)
            """
        return """
            WITH waited AS (
                DELETE FROM \(rows(of: subject))
                RETURNING form_given_name, form_family_name, form_email, given_name, family_name, announced_at
            ), late AS (
                SELECT *, given_name <> '' OR family_name <> '' AS is_called FROM waited
                WHERE form_given_name IS NOT NULL AND \(!login.hasName)
                ORDER BY announced_at LIMIT 1
            ), vault AS (
                UPDATE upstream_identities AS known
                SET form_given_name = late.form_given_name, form_family_name = late.form_family_name,
                    form_email = coalesce(late.form_email, known.form_email), form_received_at = late.announced_at
                FROM late
                WHERE known.team_id = \(team) AND known.provider = \(login.provider)
                    AND known.identifier = \(login.identity.identifier)
                    AND (known.form_received_at IS NULL OR NOT \(hasToldName))
            ), profile AS (
                \(UserStore.renaming(subject, from: "late", in: team, when: isOwn))
            )
            \(UpstreamConsent.naming(subject, for: primaryAppID, from: "late", in: team, when: isWanted))
            """
    }
}
