import Directory
import OAuth
import Platform
import Postgres

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
