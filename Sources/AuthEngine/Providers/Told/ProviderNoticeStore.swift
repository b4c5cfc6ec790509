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
        // Of many at once each counts what the one before it has kept.
        let turn: SQL =
            "SELECT pg_advisory_xact_lock(hashtextextended(\("provider notices " + team.rawValue), 0))"
        let keeping: SQL = """
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
            """
        let line = LockedRow("provider notices", team.rawValue)
        let rows = try await database.query([turn.locking(line), keeping], in: team)
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

    /// Who goes by that name at the provider: locked first, then looked at.
    func person(
        _ identifier: Subject,
        at provider: ProviderID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Person? {
        let known: SQL = """
            FROM provider_identities i
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
            """
        // Meanwhile the account there may have become another person's.
        while var row = try await transaction.query("SELECT sub \(known)").first {
            let subject: Subject = try row.next()
            try await transaction.query(UserStore.lock(subject, in: team))
            let rows = try await transaction.query(
                """
                SELECT last_seen_at,
                    EXISTS (SELECT FROM passwords p WHERE p.team_id = \(team) AND p.sub = i.sub)
                        OR EXISTS (SELECT FROM passkeys p WHERE p.team_id = \(team) AND p.sub = i.sub)
                        OR linked_at IS NOT NULL
                \(known) AND sub = \(subject)
                """
            )
            guard var row = rows.first else { continue }
            return Person(subject: subject, lastSeenAt: try row.next(), stays: try row.next())
        }
        return nil
    }

    /// That mail to the address a group was given is passed on, or is not.
    struct Forwarding: Sendable {
        let isOn: Bool
        let subject: Subject
        let provider: ProviderID
        let group: ClientID
        /// When the person decided so.
        let at: Timestamp
        /// By how much the consent may be younger than that: clocks differ.
        let tolerance: Duration
    }

    /// Notes it, unless the person decided otherwise later, or gave the consent later; of two decisions in one moment the
    /// one that comes last counts.
    ///
    /// - Returns: whether anything changed: false where it was so already, or the group was given an address that is not
    ///   the provider's.
    func note(
        _ mail: Forwarding,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            UPDATE consents AS known SET forwards_mail = \(mail.isOn), forwards_mail_at = \(mail.at)
            FROM consents AS before
            WHERE known.team_id = \(team) AND known.sub = \(mail.subject) AND known.app_id = \(mail.group)
                AND before.team_id = known.team_id AND before.sub = known.sub AND before.app_id = known.app_id
                AND known.shares_email AND NOT known.hides_email AND known.granted_at <= \(mail.at + mail.tolerance)
                AND (known.forwards_mail_at IS NULL OR known.forwards_mail_at <= \(mail.at))
                AND (
                    known.provider = \(mail.provider) OR NOT EXISTS (
                        SELECT FROM provider_identities i
                        WHERE i.team_id = \(team) AND i.sub = \(mail.subject) AND i.provider = \(mail.provider)
                            AND i.linked_at IS NOT NULL
                    )
                )
            RETURNING before.forwards_mail
            """
        )
        guard var row = rows.first else { return false }
        return try row.next(Bool.self) != mail.isOn
    }
}

extension ProviderNotice {
    /// What is kept of it: no address.
    fileprivate var record: JSONValue {
        .array(
            events.map { event in
                [
                    "type": .string(event.name.cut(toOctets: 60)),
                    "sub": event.identifier.map { .string($0.rawValue) } ?? .null,
                    "at": .string(event.at.description),
                ]
            }
        )
    }
}
