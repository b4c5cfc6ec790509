public import Core
public import Postgres

/// Reads, retries and cancels one job, for its team and for operators.
public struct JobStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the job, or its receipt once it has ended; nil when there is none or it was deleted.
    public func find(_ id: JobID, in team: TeamID) async throws(PostgresFailure) -> JobDetail? {
        let rows = try await database.query(
            """
            SELECT \(JobSummary.columns), problem, payload::text, result::text
            FROM jobs WHERE team_id = \(team) AND job_id = \(id)
            """, in: team)
        guard var row = rows.first else { return nil }
        return JobDetail(
            summary: try JobSummary(&row), problem: try row.next(),
            payload: Self.json(try row.next())?.redacted ?? .null, result: Self.json(try row.next()))
    }

    /// Makes a dead or waiting job run now, with all its attempts again; returns false when it is running or has ended
    /// otherwise.
    public func retry(_ id: JobID, in team: TeamID, by actor: Actor, from origin: Origin) async throws(PostgresFailure)
        -> Bool
    {
        let event = AuditEvent("job.retried", by: actor, on: AuditEvent.Target("job", id.rawValue), from: origin)
        return try await change(
            """
            UPDATE jobs
            SET state = 'pending', attempts = 0, due_at = now(), finished_at = NULL, keep_until = NULL
            WHERE team_id = \(team) AND job_id = \(id) AND state IN ('pending', 'dead') AND worker IS NULL
            RETURNING job_id
            """, event, in: team)
    }

    /// Cancels a job that is waiting, running or dead and does not recur, and returns whether there was one; a running
    /// attempt no longer affects the job.
    public func cancel(_ id: JobID, in team: TeamID, because reason: String, by actor: Actor, from origin: Origin)
        async throws(PostgresFailure) -> Bool
    {
        let event = AuditEvent(
            "job.cancelled", by: actor, on: AuditEvent.Target("job", id.rawValue), from: origin,
            after: ["reason": .string(reason)])
        return try await change(
            """
            UPDATE jobs
            SET state = 'cancelled', worker = NULL, payload = '{}', finished_at = clock_timestamp(),
                keep_until = clock_timestamp() + interval '7 days'
            WHERE team_id = \(team) AND job_id = \(id) AND state IN ('pending', 'dead')
                AND priority <> \(JobPolicy.Priority.recurring)
            RETURNING job_id
            """, event, in: team)
    }

    /// Makes the change and records its event, in one statement.
    private func change(_ update: SQL, _ event: AuditEvent, in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            WITH changed AS (\(update)), audit AS (\(event.insertion(in: team, when: "FROM changed")))
            SELECT job_id FROM changed
            """, in: team)
        return !rows.isEmpty
    }

    private static func json(_ text: String?) -> JSONValue? {
        guard let text else { return nil }
        do throws(JSON.Failure) { return try JSON.decode(JSONValue.self, from: Array(text.utf8)) } catch { return nil }
    }
}

/// A job with its result, its last problem and the redacted payload.
public struct JobDetail: Sendable {
    public let summary: JobSummary
    /// Why the last attempt failed.
    public let problem: String?
    /// The payload without personal data and secrets.
    public let payload: JSONValue
    public let result: JSONValue?
}

extension JSONValue {
    /// The value without texts that may identify a user or be a secret; short identifiers remain.
    var redacted: JSONValue {
        switch self {
        case .null, .boolean, .integer, .number: self
        case .string(let text): .string(Self.redacted(text))
        case .array(let values): .array(values.map(\.redacted))
        case .object(let members): .object(members.mapValues(\.redacted))
        }
    }

    /// Keeps identifiers: letters, digits and joining punctuation, no address and nothing as long as a token.
    private static func redacted(_ text: String) -> String {
        let isName =
            text.utf8.count <= 40
            && text.utf8.allSatisfy { character in
                (0x30...0x39).contains(character) || (0x41...0x5A).contains(character)
                    || (0x61...0x7A).contains(character) || "-._:".utf8.contains(character)
            }
        return isName ? text : "(\(text.unicodeScalars.count) characters)"
    }
}
