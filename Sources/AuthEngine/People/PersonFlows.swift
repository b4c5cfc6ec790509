import Bytes
public import Domain
public import Jobs

/// The removal of what is left of the sign-ins of a person who is gone.
struct PersonFlowJob: JobKind {
    static let kind = "person.flows"

    let person: String
    /// The last flow of theirs: what begins later is of somebody who came back.
    let last: String
}

/// Removes what is left of people who are gone: what the worker of jobs does.
public struct PersonFlows: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Has a worker remove it.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(PersonFlowJob.self) { job, run in try await remove(job, run) }
    }

    /// Each piece is a transaction of its own: an attempt that ends early has done its part.
    private func remove(_ job: PersonFlowJob, _ run: JobRun) async throws -> JobOutcome {
        guard let subject = Subject(rawValue: job.person) else {
            return .refused("the person has no such name")
        }
        try await removeAll(of: subject, until: job.last, in: run.team)
        return .succeeded()
    }

    func removeAll(of subject: Subject, until last: String, in team: TeamID) async throws {
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await database.transaction(in: team) { transaction in
                try await PersonFlowStore.removePiece(of: subject, until: last, in: team, transaction)
            }
        }
    }
}
