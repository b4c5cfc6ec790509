import Bytes
import Crypto
import Directory
import Domain
import Jobs
import Postgres

/// Keeps what a provider told, once each, and reads whom it is about.
struct ProviderNoticeStore: Sendable {
    /// Notices of one team that may wait to be verified: whoever knows a client's name can have one kept.
    private static let waiting = 1000

    private let database: TeamDatabase
    private let sealer: Sealer

    init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        sealer = context.keyRing.sealer(purpose: "notices of providers")
    }

    /// Keeps a notice that cannot be verified now, sealed: it says what happened to whom.
    ///
    /// - Returns: whether there was room for it.
    func keep(_ body: [UInt8], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> Bool {
        let sealed = Base64URL.encode(sealer.seal(body, context: Self.place(now.microseconds, team)))
        let job = NewJob(
            ProviderNoticeJob(sealed: sealed, receivedAt: now.microseconds),
            once: Hex.encode(SHA256.hash(body))
        )
        let rows = try await database.query(
            """
            WITH waiting AS (
                SELECT FROM jobs
                WHERE team_id = \(team) AND kind = 'provider.notice' AND state = 'pending'
                LIMIT \(Self.waiting)
            ), room AS (
                SELECT WHERE (SELECT count(*) FROM waiting) < \(Self.waiting)
            ), job AS (
                \(job.insertion(in: team, when: "FROM room"))
            )
            SELECT FROM room
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// A notice that was kept, or nil when the master key that sealed it is not here.
    func open(_ job: ProviderNoticeJob, in team: TeamID) -> [UInt8]? {
        Base64URL.decode(job.sealed).flatMap { sealer.open($0, context: Self.place(job.receivedAt, team)) }
    }

    /// What a sealed notice is bound to.
    private static func place(_ receivedAt: Int64, _ team: TeamID) -> [String] {
        [team.rawValue, "jobs", ProviderNoticeJob.kind, String(receivedAt)]
    }

    /// Writes a notice down; false when it came before.
    func insert(
        _ notice: ProviderNotice,
        of provider: ProviderID,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let events = String(decoding: JSON.encode(notice.record), as: UTF8.self)
        let rows = try await transaction.query(
            """
            INSERT INTO provider_notices (team_id, provider, notice_hash, app_id, events, received_at)
            VALUES (
                \(team), \(provider), \(SHA256.hash(notice.id)), \(notice.group), \(events)::jsonb, \(now)
            )
            ON CONFLICT DO NOTHING
            """
        )
        return rows.changed == 1
    }

    /// Somebody a provider speaks of.
    struct Person: Sendable {
        let subject: Subject
        /// When they last came by way of it.
        let lastSeenAt: Timestamp
        /// Whether they have a password or a passkey here, too, or had an account before they connected that one.
        let stays: Bool
    }

    func person(
        _ identifier: Subject,
        at provider: ProviderID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Person? {
        let rows = try await transaction.query(
            """
            SELECT sub, last_seen_at,
                EXISTS (SELECT FROM passwords p WHERE p.team_id = \(team) AND p.sub = i.sub)
                    OR EXISTS (SELECT FROM passkeys p WHERE p.team_id = \(team) AND p.sub = i.sub)
                    OR linked_at IS NOT NULL
            FROM provider_identities i
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
            """
        )
        guard var row = rows.first else { return nil }
        return Person(subject: try row.next(), lastSeenAt: try row.next(), stays: try row.next())
    }

    /// Notes whether mail to the address a group was given is passed on; false when it was so already, or the group was
    /// given an address that is not the provider's.
    func forwardMail(
        _ forwards: Bool,
        of subject: Subject,
        at provider: ProviderID,
        to group: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            UPDATE consents SET forwards_mail = \(forwards)
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND shares_email
                AND forwards_mail <> \(forwards)
                AND (
                    provider = \(provider) OR NOT EXISTS (
                        SELECT FROM provider_identities i
                        WHERE i.team_id = \(team) AND i.sub = \(subject) AND i.provider = \(provider)
                            AND i.linked_at IS NOT NULL
                    )
                )
            """
        )
        return rows.changed == 1
    }
}

extension ProviderNotice {
    /// What is kept of it: no address.
    fileprivate var record: JSONValue {
        .array(
            events.map { event in
                [
                    "type": .string(String(event.name.prefix(60))),
                    "sub": event.identifier.map { .string($0.rawValue) } ?? .null,
                    "at": .string(event.at.description),
                ]
            }
        )
    }
}
