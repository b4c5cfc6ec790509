import Core
public import Platform

/// Job that deletes the remaining sign-in traces of a deleted user.
struct UserTraceJob: JobKind {
    static let kind = "person.flows"

    let person: String
    /// The user's last trace before the deletion; later ones belong to a user who signed up again with the same `sub`.
    let last: String
}

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
        guard let subject = Subject(rawValue: job.person) else { return .refused("the person has no such name") }
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
