public import Platform
import Postgres

/// Deletes the remaining sign-in traces of deleted users, as a job.
public struct UserTraces: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Registers the handler of the job.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(UserTraceJob.self) { job, run in try await remove(job, run) }
    }

    /// Deletes each batch in a transaction of its own, so that an interrupted run keeps its progress.
    private func remove(_ job: UserTraceJob, _ run: JobRun) async throws -> JobOutcome {
        guard let subject = Subject(rawValue: job.person) else { throw UnreadableJob("the person has no such name") }
        try await removeAll(of: subject, until: job.last, in: run.team)
        return .succeeded()
    }

    func removeAll(of subject: Subject, until last: String, in team: TeamID) async throws {
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await database.transaction(in: team) { transaction in
                try await UserTraceStore.removePiece(of: subject, until: last, in: team, transaction)
            }
        }
    }
}

/// Deletes the sign-in traces of deleted users in batches, because one user may have caused a million events.
public enum UserTraceStore {
    /// Most traces examined and events deleted in one batch.
    static let (traces, events) = (500, 5000)
    /// Batches in the transaction of the deletion, enough for most users.
    static let first = 4

    /// Deletes the first batches in the change that deletes the user, and enqueues the deletion of the rest if there is
    /// any.
    static func removeFirst(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) {
        let team = change.team
        for _ in 0..<first where try await removePiece(of: subject, in: team, change.transaction) { return }
        // A returning user gets the same `sub`, so the job is limited to traces that began before the deletion.
        let payloads: SQL = """
            SELECT jsonb_build_object('person', \(subject), 'last', max(trace_id)) FROM traces
            WHERE team_id = \(team) AND sub = \(subject) HAVING max(trace_id) IS NOT NULL
            """
        try await change.query(UserTraceJob.insertion(in: team, for: payloads))
    }

    /// Deletes a batch of traces up to and including `last`, oldest first; true when none is left.
    static func removePiece(
        of subject: Subject, until last: String? = nil, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            SELECT trace_id FROM traces
            WHERE team_id = \(team) AND sub = \(subject) AND (\(last) IS NULL OR trace_id <= \(last))
            ORDER BY trace_id LIMIT \(traces)
            """)
        let ids: [String] = try rows.column()
        guard !ids.isEmpty else { return true }
        let removed = try await transaction.query(
            """
            DELETE FROM trace_events
            WHERE team_id = \(team) AND trace_id = ANY (\(ids)) AND (trace_id, at, kind) IN (
                SELECT trace_id, at, kind FROM trace_events
                WHERE team_id = \(team) AND trace_id = ANY (\(ids)) LIMIT \(events)
            )
            """)
        guard removed.changed < events else { return false }
        try await transaction.query(
            """
            DELETE FROM traces WHERE team_id = \(team) AND trace_id = ANY (\(ids)) AND sub = \(subject)
            """)
        return ids.count < traces
    }
}

/// Job that deletes the remaining sign-in traces of a deleted user.
struct UserTraceJob: JobKind {
    static let kind = "person.traces"

    let person: String
    /// The user's last trace before the deletion; later ones belong to a user who signed up again with the same `sub`.
    let last: String
}
