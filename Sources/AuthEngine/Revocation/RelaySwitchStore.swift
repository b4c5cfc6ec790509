import Audit
public import Bytes
public import Directory
public import Domain
import Postgres

/// Whether mail to a relay address is passed on: a person's choice for each group of apps, which is told of it.
public struct RelaySwitchStore: Sendable {
    /// Switches of one person for one group of apps, within `window`: the group's server is told of each.
    public static let limit = 10
    private static let window = Duration.seconds(3600)

    /// What came of it.
    public enum Outcome: Equatable, Sendable {
        /// It is as it was asked for.
        case done
        /// The group was given no relay address.
        case unknown
        /// It was switched too often.
        case limited(wait: Duration)
    }

    private let database: TeamDatabase
    private let limits: LimitStore

    public init(_ database: TeamDatabase) {
        self.database = database
        limits = LimitStore(database)
    }

    /// Switches the passing on of mail from a group of apps that was given the relay address.
    ///
    /// The group gets the notice `email-enabled` or `email-disabled` (Apple, "Processing changes for Sign in with Apple
    /// accounts"), in place of one that still waits. What is so already changes nothing, and nobody is told.
    ///
    /// - Parameter right: the session in which the person asks for it.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    public func set(
        _ forwards: Bool,
        by right: SessionRight,
        for appID: ClientID,
        in team: TeamID,
        as actor: Actor,
        from origin: Origin,
        at now: Timestamp
    ) async throws -> Outcome {
        let subject = right.session.user.subject
        let rows = try await database.query(
            """
            SELECT forwards_mail FROM consents
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
            """,
            in: team
        )
        guard var row = rows.first else { return .unknown }
        guard try row.next(Bool.self) != forwards else { return .done }
        let wait = try await limits.charge(
            .account("relay", "\(subject)\n\(appID)"),
            limit: Self.limit,
            window: Self.window,
            in: team,
            at: now
        )
        if let wait { return .limited(wait: wait) }
        let event = AuditEvent(
            forwards ? "relay.enabled" : "relay.disabled",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["appID": .string(appID.rawValue)]
        )
        let notice = NewNotice(forwards ? .emailEnabled : .emailDisabled, of: subject, to: appID)
        let change: SQL = """
            WITH changed AS (
                UPDATE consents SET forwards_mail = \(forwards)
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
                    AND forwards_mail <> \(forwards)
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM changed"))
            ), \(notice.superseding(in: team, when: "FROM changed")),
            \(notice.parts(in: team, when: "FROM changed"))
            SELECT
            """
        return try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await UserStore.lock(subject, by: right, in: team, transaction)
            try await transaction.query(change)
            return .done
        }
    }
}
