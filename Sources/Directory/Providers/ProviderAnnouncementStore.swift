public import Bytes
public import Domain
public import Postgres

/// Somebody whom a native app announces, with the name that comes once, while the provider is asked whether they are here.
///
/// What says so may be spent, and the name beside it be anybody's: nothing of it touches a person before the provider has
/// confirmed it. Parting from the provider ends it.
public struct ProviderAnnouncement: Sendable {
    let arrival: ProviderPersonStore.Arrival
    let mark: [UInt8]
    let heldUntil: Timestamp

    /// - Parameters:
    ///   - arrival: its form is kept, where it has one.
    ///   - mark: names what was handed over; the same again is another try.
    ///   - end: until when nobody else goes on with it.
    public init(_ arrival: ProviderPersonStore.Arrival, as mark: [UInt8], heldUntil end: Timestamp) {
        self.arrival = arrival
        self.mark = mark
        heldUntil = end
    }

    /// Ends what is announced of somebody who parts from their provider, and forgets the names.
    ///
    /// - Parameters:
    ///   - group: nil means those of every group.
    ///   - moment: what was announced later is about another time; nil ends all.
    public static func removal(
        of subject: Subject,
        for group: ClientID? = nil,
        until moment: Timestamp? = nil,
        in team: TeamID
    ) -> SQL {
        """
        DELETE FROM provider_announcements
        WHERE team_id = \(team) AND sub = \(subject) AND (\(group) IS NULL OR app_id = \(group))
            AND (\(moment) IS NULL OR announced_at <= \(moment))
        """
    }

    /// Ends one that is confirmed; yields a row while it stands.
    public func removal(in team: TeamID) -> SQL {
        "DELETE FROM provider_announcements WHERE \(own(team)) RETURNING mark"
    }

    private func own(_ team: TeamID) -> SQL {
        "team_id = \(team) AND mark = \(mark) AND held_until = \(heldUntil)"
    }
}

extension ProviderAnnouncement {
    /// Names that may wait for one person in one group of apps.
    ///
    /// Whoever holds what a provider once gave may announce it again and again, each time with another name, and nobody
    /// knows better while the provider is silent. Those that came first stay, so that none pushes the true one out.
    static let mostNames = 5

    /// Has the announcements of one person to one group come one after the other, so that each counts the names that
    /// the one before it has kept: there is no row yet that could be locked.
    func turn(in team: TeamID) -> SQL {
        let turn: SQL = """
            SELECT pg_advisory_xact_lock(hashtextextended(
                concat('announcements ', \(team)::text, ' ', \(arrival.resident(team)), ' ', \(arrival.group)::text), 0
            ))
            """
        return turn.locking(LockedRow("announcements", team.rawValue, arrival.identity.identifier.rawValue))
    }

    /// A second try of the same is doubtful: the first may have spent the code, and never heard of it.
    ///
    /// Beyond the names that may wait it is kept without its own, as is anybody who has none: they are let in as before,
    /// and their name with them, if the provider confirms it now.
    func insertion(in team: TeamID) -> SQL {
        let form = arrival.form
        return """
            INSERT INTO provider_announcements AS known (
                team_id, mark, provider, sub, app_id, form_given_name, form_family_name, form_email, given_name,
                family_name, announced_at, held_until
            )
            SELECT \(team), \(mark), \(arrival.provider), \(arrival.resident(team)), \(arrival.group),
                CASE WHEN room.is_left THEN \(ProviderForm.kept(form?.givenName))::text END,
                CASE WHEN room.is_left THEN \(ProviderForm.kept(form?.familyName))::text END,
                CASE WHEN room.is_left THEN \(ProviderForm.kept(form?.email))::text END,
                \(arrival.name.given), \(arrival.name.family), \(arrival.at), \(heldUntil)
            FROM (
                SELECT count(*) < \(Self.mostNames) AS is_left FROM provider_announcements AS other
                WHERE other.team_id = \(team) AND other.sub = \(arrival.resident(team))
                    AND other.app_id = \(arrival.group) AND other.form_given_name IS NOT NULL
            ) AS room
            WHERE NOT \(arrival.isTaken(team))
            ON CONFLICT (team_id, mark) DO UPDATE SET sub = excluded.sub, held_until = excluded.held_until,
                is_doubtful = true
            """
    }

    /// The person it would be, and whether the provider's name for them is somebody else's.
    func residence(in team: TeamID) -> SQL {
        """
        SELECT \(UserStore.columns), \(arrival.isTaken(team))
        FROM users u WHERE u.team_id = \(team) AND u.sub = \(arrival.resident(team))
        """
    }

    /// What was refused the first time is gone; what may have been confirmed waits with its name.
    func dismissal(isRefused: Bool, in team: TeamID) -> [SQL] {
        [
            """
            DELETE FROM provider_announcements
            WHERE \(own(team)) AND (form_given_name IS NULL OR \(isRefused) AND NOT is_doubtful)
            """,
            "UPDATE provider_announcements SET held_until = announced_at WHERE \(own(team))",
        ]
    }
}

extension ProviderPersonStore.Arrival {
    /// Those about a group of apps that wait for a person who has come: nobody is at work with them any more.
    func waiting(_ group: ClientID, for subject: SQL, in team: TeamID) -> SQL {
        """
        provider_announcements AS waiting
            WHERE waiting.team_id = \(team) AND waiting.sub = \(subject) AND waiting.app_id = \(group)
                AND waiting.held_until <= \(at)
        """
    }

    /// Gives the person a name that was announced once and never confirmed, now that they are here without any.
    ///
    /// The first one counts. It replaces no name that apps have had, and what waited is used up in any case.
    func lateName(_ group: ClientID, _ team: TeamID) -> SQL {
        """
        WITH waited AS (
            DELETE FROM \(waiting(group, for: subject(team), in: team))
            RETURNING form_given_name, form_family_name, form_email, given_name, family_name, announced_at
        ), late AS (
            SELECT *, given_name <> '' OR family_name <> '' AS is_called FROM waited
            WHERE form_given_name IS NOT NULL AND \(!hasName)
            ORDER BY announced_at LIMIT 1
        ), vault AS (
            UPDATE provider_identities AS known
            SET form_given_name = late.form_given_name, form_family_name = late.form_family_name,
                form_email = coalesce(late.form_email, known.form_email), form_received_at = late.announced_at
            FROM late
            WHERE known.team_id = \(team) AND known.provider = \(provider)
                AND known.identifier = \(identity.identifier)
                AND (known.form_received_at IS NULL OR NOT \(hasToldName(team)))
        ), profile AS (
            UPDATE users SET given_name = late.given_name, family_name = late.family_name
            FROM late
            WHERE users.team_id = \(team) AND users.sub = \(subject(team)) AND late.is_called
                AND NOT \(hasToldName(team)) AND NOT \(isLinked(team)) AND NOT \(hasLogin(team))
        )
        UPDATE consents AS known
        SET shares_name = true, given_name = late.given_name, family_name = late.family_name, delivered_at = NULL
        FROM late
        WHERE known.team_id = \(team) AND known.sub = \(subject(team)) AND known.app_id = \(group)
            AND late.is_called AND NOT \(isLinked(team))
            AND (NOT known.shares_name OR known.delivered_at IS NULL)
        """
    }
}
