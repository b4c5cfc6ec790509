import Core
import Crypto
public import Directory
public import Platform
import Postgres

/// The user's choice for each group of apps whether mail to the relay address is forwarded; the group is notified.
public struct RelaySwitchStore: Sendable {
    /// The result of a change.
    public enum Outcome: Equatable, Sendable {
        /// The choice is stored, or was stored before.
        case done
        /// The group has no relay address.
        case unknown
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Turns the forwarding of mail on or off for a group of apps that has the relay address.
    ///
    /// The group gets the notification `email-enabled` or `email-disabled` (Apple, "Processing changes for Sign in with
    /// Apple accounts"), in place of a pending one. Without a change, no notification is sent.
    ///
    /// - Parameter right: the session that authorizes the change.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func set(
        _ forwards: Bool, by right: SessionRight, for appID: ClientID, in team: TeamID, as actor: Actor,
        from origin: Origin
    ) async throws -> Outcome {
        let subject = right.session.user.subject
        let rows = try await database.query(
            """
            SELECT forwards_mail FROM consents
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
            """, in: team)
        guard var row = rows.first else { return .unknown }
        guard try row.next(Bool.self) != forwards else { return .done }
        let event = AuditEvent(
            forwards ? "relay.enabled" : "relay.disabled", by: actor, on: .user(subject), from: origin,
            after: ["appID": .string(appID.rawValue)])
        let notification = NewNotification(forwards ? .emailEnabled : .emailDisabled, of: subject, to: appID)
        let statement: SQL = """
            WITH changed AS (
                UPDATE consents SET forwards_mail = \(forwards)
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND hides_email
                    AND forwards_mail <> \(forwards)
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM changed"))
            ), \(notification.superseding(in: team, when: "FROM changed")),
            \(notification.parts(in: team, when: "FROM changed"))
            SELECT
            """
        return try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) {
            change in
            try await UserStore.lock(subject, by: right, change)
            try await change.query(statement)
            return .done
        }
    }
}

/// Domain of the relay addresses of users who hide their email address.
public struct RelayDomain: Sendable {
    private static let alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789")
    private static let length = 16

    public let name: String

    /// Creates the domain; nil if `name` is not a host name that mail can be sent to.
    public init?(_ name: String) {
        let longest = String(repeating: "a", count: Self.length) + "@" + name
        guard EmailAddress(rawValue: longest) != nil else { return nil }
        self.name = name
    }

    /// Draws a new random address, which reveals nothing about its user.
    ///
    /// With 36^16 possible addresses a duplicate is unlikely, and a database constraint rejects it.
    func address(_ random: RandomSource) -> String { random.text(Self.length, from: Self.alphabet) + "@" + name }
}
