import Audit
import Bytes
public import Domain
public import Postgres

/// Whether mail to a relay address is passed on: a person's choice for each group of apps, which is told of it.
public struct RelaySwitchStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Switches the passing on of mail from a group of apps that was given the relay address.
    ///
    /// The group gets the notice `email-enabled` or `email-disabled` (Apple, "Processing changes for Sign in with Apple
    /// accounts"). What is so already changes nothing, and nobody is told.
    ///
    /// - Returns: whether the group was given one.
    public func set(
        _ forwards: Bool,
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
        let event = AuditEvent(
            forwards ? "relay.enabled" : "relay.disabled",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["appID": .string(appID.rawValue)]
        )
        let notice = NewNotice(forwards ? .emailEnabled : .emailDisabled, of: subject, to: appID)
        let rows = try await database.query(
            """
            WITH changed AS (
                UPDATE consents SET forwards_mail = \(forwards)
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
                    AND forwards_mail <> \(forwards)
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM changed"))
            ), \(notice.parts(in: team, when: "FROM changed"))
            SELECT FROM consents
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
            """,
            in: team
        )
        return !rows.isEmpty
    }
}
