import Core
import Crypto
import EventLoop
import Platform
import Postgres
@_exported import TestDatabase
import TestSupport
import Testing

/// A migrated database with Acme and Rival, seen from a loop.
struct JobEnvironment: Sendable, OwnedDatabase {
    let conninfo: String
    let loop: EventLoop
    let app: Database
    let system: Database

    var database: TeamDatabase { TeamDatabase(app) }
    var systemDatabase: SystemDatabase { SystemDatabase(system) }

    /// A worker of this world with a bell of its own.
    func worker(
        _ options: JobWorker.Options = .quick, bell: JobSignal = JobSignal(), log: Log = .silent,
        _ register: (inout JobHandlers) -> Void
    ) -> JobWorker {
        var handlers = JobHandlers()
        register(&handlers)
        return JobWorker(
            on: loop, database, system: systemDatabase, handlers: handlers, bell: bell, options: options, log: log)
    }

    func queue(_ bell: JobSignal = JobSignal()) -> JobQueue { JobQueue(database, bell: bell) }

    func state(of job: NewJob) throws -> String? {
        try admin("SELECT state FROM jobs WHERE job_id = $1", job.id.rawValue).first?[0]
    }

    /// Lets time pass for every job.
    func forward(_ interval: String) throws { try admin("UPDATE jobs SET due_at = due_at - $1::interval", interval) }
}

/// Lends `body` a world of its own, on its loop.
func withJobEnvironment(_ body: @escaping @Sendable (JobEnvironment) async throws -> Void) async throws {
    try await withDatabase { conninfo in
        try TestDatabase.addTeams(to: conninfo)
        try await onLoop(of: conninfo, body)
    }
}

/// Lends `body` connections to a database on a loop of their own: one process as PostgreSQL sees it.
func onLoop(of conninfo: String, _ body: @escaping @Sendable (JobEnvironment) async throws -> Void) async throws {
    // One connection each: what is answered on it was sent after all that is answered before.
    try await ConnectedDatabase.with(conninfo) { configuration in
        configuration.shared = 1
    } _: { connected in
        try await body(
            JobEnvironment(conninfo: conninfo, loop: connected.loop, app: connected.app, system: connected.system))
    }
}

extension JobWorker.Options {
    /// Looks often, so that tests wait little.
    static var quick: JobWorker.Options {
        var options = JobWorker.Options()
        options.pollInterval = .milliseconds(50)
        return options
    }
}

extension JobWorker {
    /// Works while `body` runs.
    func whileRunning(on loop: EventLoop, _ body: () async throws -> Void) async throws {
        let task = Task(executorPreference: loop) { await self.run() }
        do { try await body() } catch {
            await stop(within: .testTimeout)
            await task.value
            throw error
        }
        await stop(within: .testTimeout)
        await task.value
    }
}

extension Log { static let silent = Log(threshold: .error) { _ in } }

/// A job that says who it is for.
struct Greeting: JobKind {
    static let kind = "test.greeting"

    let name: String
}

/// Another kind of the same priority.
struct Farewell: JobKind {
    static let kind = "test.farewell"

    let name: String
}

/// The same, but somebody waits for it.
struct UrgentGreeting: JobKind {
    static let kind = "test.urgent-greeting"
    static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.priority = .urgent
        return policy
    }

    let name: String
}
