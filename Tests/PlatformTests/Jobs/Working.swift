import Core
import EventLoop
import Platform
import TestSupport

extension JobEnvironment {
    /// Enqueues a greeting of Ada, unless said otherwise.
    @discardableResult func greet(_ name: String = "Ada", in team: TeamID = .acme) async throws -> NewJob {
        let job = NewJob(Greeting(name: name))
        try await queue().enqueue(job, in: team)
        return job
    }

    /// Has a worker answer greetings until `condition` holds.
    @discardableResult func work(
        _ options: JobWorker.Options = .quick, log: Log = .silent, until condition: () async throws -> Bool,
        _ answer: @escaping @Sendable (Greeting, JobRun) async throws -> JobOutcome = { _, _ in .succeeded() }
    ) async throws -> JobWorker {
        let worker = worker(options, log: log) { handlers in handlers.register(Greeting.self, answer) }
        try await worker.whileRunning(on: loop) { try await waitUntil { try await condition() } }
        return worker
    }

    /// The same until the job is in that state.
    @discardableResult func work(
        until state: String, of job: NewJob,
        _ answer: @escaping @Sendable (Greeting, JobRun) async throws -> JobOutcome = { _, _ in .succeeded() }
    ) async throws -> JobWorker { try await work(until: { try self.state(of: job) == state }, answer) }
}
