public import Core
import Crypto
import Directory
import OAuth
public import Platform
public import Postgres

/// Stores each notification of a provider once, and finds the users it is about.
struct UpstreamNotificationStore: Sendable {
    private let database: TeamDatabase
    private let sealer: Sealer

    init(_ database: TeamDatabase, server: ServerContext) {
        self.database = database
        sealer = server.keyRing.sealer(purpose: "upstream notifications")
    }

    /// Stores a notification that cannot be verified now, sealed, because it contains user data.
    ///
    /// - Returns: whether there was room for it, among those of its network, too.
    func keep(_ body: [UInt8], of provider: ProviderID, from network: LimitKey, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Bool
    {
        let sealed = Base64URL.encode(sealer.seal(body, context: Self.place(now.microseconds, team)))
        let job = NewJob(
            UpstreamNotificationJob(
                provider: provider.rawValue, sealed: sealed, receivedAt: now.microseconds, network: network.stored),
            once: Hex.encode(SHA256.hash(body)))
        // Serialized, so that each of several concurrent requests counts what the previous ones have stored.
        let turn: SQL =
            "SELECT pg_advisory_xact_lock(hashtextextended(\("upstream notifications " + team.rawValue), 0))"
        let keeping: SQL = """
            WITH waiting AS (
                SELECT payload ->> 'network' AS network FROM jobs
                WHERE team_id = \(team) AND kind = 'upstream.notification' AND state = 'pending'
                LIMIT \(Quota.waitingNotifications.count)
            ), room AS (
                SELECT FROM (
                    SELECT count(*) AS count, count(*) FILTER (WHERE network = \(network.stored)) AS own FROM waiting
                ) AS counted
                WHERE count < \(Quota.waitingNotifications.count)
                    AND own < \(Quota.waitingOfNetwork.count)
            ), job AS (
                \(job.insertion(in: team, when: "FROM room"))
            )
            SELECT FROM room
            """
        let line = LockedRow("upstream notifications", team.rawValue)
        let rows = try await database.query([turn.locking(line), keeping], in: team)
        return !rows.isEmpty
    }

    /// Opens a stored notification; nil if the master key that sealed it is missing.
    func open(_ job: UpstreamNotificationJob, in team: TeamID) -> [UInt8]? {
        Base64URL.decode(job.sealed).flatMap { sealer.open($0, context: Self.place(job.receivedAt, team)) }
    }

    /// Context that a sealed notification is bound to.
    private static func place(_ receivedAt: Int64, _ team: TeamID) -> [String] {
        [team.rawValue, "jobs", UpstreamNotificationJob.kind, String(receivedAt)]
    }

    /// Stores a verified notification; false if it was stored before.
    func insert(
        _ notification: UpstreamNotification, of provider: ProviderID, at now: Timestamp, _ change: borrowing Change
    ) async throws(PostgresFailure) -> Bool {
        let events = String(decoding: JSON.encode(notification.record), as: UTF8.self)
        let rows = try await change.query(
            """
            INSERT INTO upstream_notifications (team_id, provider, notification_hash, app_id, events, received_at)
            VALUES (
                \(change.team), \(provider), \(SHA256.hash(notification.id)), \(notification.primaryAppID),
                \(events)::jsonb, \(now)
            )
            ON CONFLICT DO NOTHING
            """)
        return rows.changed == 1
    }

    /// User that a notification is about.
    struct Person: Sendable {
        let subject: Subject
        /// Time of the last sign-in through the provider.
        let lastSeenAt: Timestamp
        /// Whether the user has a password or passkey here, or linked the provider account to an existing account.
        let stays: Bool
    }

    /// Finds the user by the provider's identifier: locks the user first, then reads the rest.
    func person(_ identifier: Subject, at provider: ProviderID, _ change: borrowing Change)
        async throws(PostgresFailure) -> Person?
    {
        let team = change.team
        let known: SQL = """
            FROM upstream_identities i
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
            """
        // The provider account may be linked to another user by the time the lock is held.
        while var row = try await change.query("SELECT sub \(known)").first {
            let subject: Subject = try row.next()
            try await change.query(UserStore.lock(subject, in: team))
            let rows = try await change.query(
                """
                SELECT last_seen_at,
                    EXISTS (SELECT FROM passwords p WHERE p.team_id = \(team) AND p.sub = i.sub)
                        OR EXISTS (SELECT FROM passkeys p WHERE p.team_id = \(team) AND p.sub = i.sub)
                        OR linked_at IS NOT NULL
                \(known) AND sub = \(subject)
                """)
            guard var row = rows.first else { continue }
            return Person(subject: subject, lastSeenAt: try row.next(), stays: try row.next())
        }
        return nil
    }

    /// Change of the forwarding of mail to the address shared with a group.
    struct Forwarding: Sendable {
        let isOn: Bool
        let subject: Subject
        let provider: ProviderID
        let primaryAppID: ClientID
        /// Time of the user's decision.
        let at: Timestamp
        /// Time until which the consent may have been given, because clocks differ.
        let latest: Timestamp
    }

    /// Stores the forwarding of mail, unless the user decided otherwise later, or gave the consent later.
    ///
    /// Of two decisions at the same moment the one received last counts.
    ///
    /// - Returns: whether anything changed: false if nothing did, or if the group has an address that is not the
    ///   provider's.
    func note(_ mail: Forwarding, _ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        let team = change.team
        let condition: SQL = """
            known.granted_at <= \(mail.latest) AND (
                known.provider = \(mail.provider) OR NOT EXISTS (
                    SELECT FROM upstream_identities i
                    WHERE i.team_id = \(team) AND i.sub = \(mail.subject) AND i.provider = \(mail.provider)
                        AND i.linked_at IS NOT NULL
                )
            )
            """
        let rows = try await change.query(
            UpstreamConsent.forwarding(
                mail.isOn, of: mail.subject, for: mail.primaryAppID, at: mail.at, in: team, when: condition))
        guard var row = rows.first else { return false }
        return try row.next(Bool.self) != mail.isOn
    }
}

extension UpstreamNotification {
    /// Stored form of the events, without email addresses.
    fileprivate var record: JSONValue {
        .array(
            events.map { event in
                [
                    "type": .string(event.name.cut(toOctets: 60)),
                    "sub": event.identifier.map { .string($0.rawValue) } ?? .null, "at": .string(event.at.description),
                ]
            })
    }
}

/// Reports whether a provider's notifications reach the team, judged by those received.
public struct UpstreamNotificationReceiptStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Time of the last verified notification; nil if none arrived within ninety days.
    public func last(from provider: ProviderID, in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            "SELECT max(received_at) FROM upstream_notifications WHERE team_id = \(team) AND provider = \(provider)",
            in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}
