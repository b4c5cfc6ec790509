import Crypto
import Directory
import EventLoop
import HTTP
import Platform
import Synchronization

/// The figures, one line each (Prometheus, "Text-based format").
struct MetricsText: CustomStringConvertible {
    private typealias Figure = (name: String, kind: String, help: String, read: @Sendable (ProcessHeartbeat) -> Int)

    private var lines: [String] = []

    init(processes: [ProcessStatus], queue: [JobStatistics], recurring: [RecurringJob]) {
        append(processes.filter(\.isAlive).map(\.beat))
        append(queue)
        metric("pippin_schedule_failed", "gauge", "Whether the last run of a recurring job failed.")
        for job in recurring { sample("pippin_schedule_failed", [("schedule", job.kind)], job.problem == nil ? 0 : 1) }
    }

    var description: String { lines.joined(separator: "\n") + "\n" }

    private mutating func append(_ processes: [ProcessHeartbeat]) {
        let figures: [Figure] = [
            ("pippin_process_resident_bytes", "gauge", "Resident memory.", { $0.memory }),
            ("pippin_loop_lag_microseconds", "gauge", "How long the slowest loop took to answer.", { $0.loopLag }),
            ("pippin_jobs_succeeded_total", "counter", "Jobs that succeeded.", { $0.jobsSucceeded }),
            ("pippin_job_attempts_failed_total", "counter", "Attempts that failed.", { $0.jobsFailed }),
            ("pippin_jobs_dead_total", "counter", "Jobs that were given up.", { $0.jobsDead }),
            (
                "pippin_trace_events_dropped_total", "counter", "Steps of sign-ins that the inspector lacks.",
                { $0.traceEventsDropped }
            ),
        ]
        for figure in figures + Self.connectionFigures {
            metric(figure.name, figure.kind, figure.help)
            for process in processes {
                sample(figure.name, [("process", process.id), ("host", process.host)], figure.read(process))
            }
        }
        append(
            "pippin_connections_refused_total", by: "cause", of: processes,
            "Connections that were refused or closed, by cause; for limit and descriptors, how often one had to wait."
        ) {
            let counts = $0.connections
            return [
                ("address", counts.refused), ("limit", counts.full), ("delivery", counts.answersGivenUp),
                ("descriptors", counts.shortages),
            ]
        }
        append("pippin_requests_refused_total", by: "status", of: processes, "Requests that were answered 429 and 503.")
        { [("429", $0.refused.tooMany), ("503", $0.refused.unavailable)] }
        append("pippin_limited_total", by: "limit", of: processes, "Uses of rate limits that were refused.") {
            $0.refused.limited.sorted { $0.key < $1.key }.map { (value: $0.key, count: $0.value) }
        }
    }

    private static let connectionFigures: [Figure] = [
        ("pippin_connections", "gauge", "Open connections of clients.", { $0.connections.now }),
        ("pippin_connections_peak", "gauge", "The most of them at a time.", { $0.connections.peak }),
        ("pippin_connection_limit", "gauge", "How many there may be.", { $0.connections.limit }),
        (
            "pippin_octets_in_delivery", "gauge", "Octets of answers that clients had yet to take.",
            { $0.connections.octetsInDelivery }
        ), ("pippin_descriptors", "gauge", "File descriptors in use.", { $0.connections.descriptors }),
        ("pippin_descriptor_limit", "gauge", "How many there may be.", { $0.connections.descriptorLimit }),
    ]

    /// Appends a counter of each process by a further label.
    private mutating func append(
        _ name: String, by label: String, of processes: [ProcessHeartbeat], _ help: String,
        _ read: (ProcessHeartbeat) -> [(value: String, count: Int)]
    ) {
        metric(name, "counter", help)
        for process in processes {
            for (value, count) in read(process) {
                sample(name, [("process", process.id), ("host", process.host), (label, value)], count)
            }
        }
    }

    private mutating func append(_ queue: [JobStatistics]) {
        metric("pippin_jobs", "gauge", "Jobs that have not succeeded, by kind and state.")
        for kind in queue {
            let states = [("due", kind.due), ("later", kind.later), ("running", kind.running), ("dead", kind.dead)]
            for (state, count) in states { sample("pippin_jobs", [("kind", kind.kind), ("state", state)], count) }
        }
        metric("pippin_jobs_oldest_due_seconds", "gauge", "How long the oldest job that is due has waited.")
        for kind in queue {
            let seconds = Int(kind.oldest?.components.seconds ?? 0)
            sample("pippin_jobs_oldest_due_seconds", [("kind", kind.kind)], seconds)
        }
    }

    private mutating func metric(_ name: String, _ kind: String, _ help: String) {
        lines.append("# HELP \(name) \(help)")
        lines.append("# TYPE \(name) \(kind)")
    }

    private mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: Int) {
        let labels = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        lines.append("\(name){\(labels)} \(value)")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// `/metrics`: figures of the whole installation, in Prometheus's text format.
///
/// For signed-in operators and for clients with the token, but not for this machine's address, because behind a proxy
/// every request comes from it.
struct Metrics: Sendable {
    let services: LoopServices
    /// Nil to allow only operators.
    let token: String?
    let isOperator: @Sendable (Request) async throws -> Bool

    func mount(on router: inout Router) { router.get(Route("/metrics")) { request in try await respond(request) } }

    private func respond(_ request: Request) async throws -> Response {
        if !hasToken(request) {
            guard try await isOperator(request) else {
                var refusal = Response.text("not for you\n", status: .unauthorized)
                refusal.append(.wwwAuthenticate, "Bearer")
                return refusal
            }
        }
        let system = SystemDatabase(services.system)
        let text = MetricsText(
            processes: try await ProcessStore(system).list(), queue: try await JobListStore(system).statistics(),
            recurring: try await RecurringJobStore(services.database).list())
        var response = Response.text(text.description)
        // Not stored, because a session cookie may have authorized the request.
        response.append(.cacheControl, "no-store")
        return response
    }

    private func hasToken(_ request: Request) -> Bool {
        guard let token, let given = request[.authorization], given.hasPrefix("Bearer ") else { return false }
        return ConstantTime.equal(String(given.dropFirst("Bearer ".count)), token)
    }
}

/// Number of requests that the loops of this process answered 429 and 503.
final class RefusalCount: Sendable {
    private let counts = Mutex(RefusedRequests())
    private let limits: LimitCounts

    init(_ limits: LimitCounts) { self.limits = limits }

    /// Counts since the start.
    var figures: RefusedRequests {
        var figures = counts.withLock { $0 }
        figures.limited = limits.refusals
        return figures
    }

    /// - Parameter status: status of the response; nil if the client closed the connection before.
    func note(_ status: Status?) {
        if status == .tooManyRequests {
            counts.withLock { $0.tooMany += 1 }
        } else if status == .serviceUnavailable {
            counts.withLock { $0.unavailable += 1 }
        }
    }
}

/// Threads for work that would block a loop.
///
/// Each kind of work has its own pool, so that none waits for another, and teams share each pool fairly.
struct Pools: Sendable {
    /// Hashes and compares passwords.
    let passwords: BlockingPool
    /// Checks the strength of new passwords.
    let judges: BlockingPool
    /// Generates RSA keys.
    let signingKeys: BlockingPool
    /// Looks up the database server's host name.
    let lookups: BlockingPool
    /// Reads the registries of large teams.
    let registries: BlockingPool

    init(cores: Int) throws(EventLoop.Failure) {
        // One core is left to the requests that hash nothing; each hash under way also uses 19 MiB.
        passwords = try BlockingPool(name: "passwords", threads: max(1, cores - 1), queueLimit: PasswordHasher.places)
        // Low priority, because no sign-in waits for the check of a new password.
        judges = try BlockingPool(name: "judges", threads: 1, queueLimit: 64, priority: .low)
        // Low priority, because no sign-in waits for a new key.
        signingKeys = try BlockingPool(name: "signing-keys", threads: 1, queueLimit: 64, priority: .low)
        // A lookup may take minutes if no name server answers, on every loop at once.
        lookups = try BlockingPool(name: "lookups", threads: 2, queueLimit: 256)
        // One thread is enough for a few large teams, which each loop reads once after a change.
        registries = try BlockingPool(name: "registries", threads: 1, queueLimit: 256)
    }

    /// Finishes the accepted calls, then ends the threads.
    ///
    /// - Parameter limit: time for each pool, after which threads in a call are left behind.
    func stop(within limit: Duration) {
        for pool in [passwords, judges, signingKeys, lookups, registries] { pool.stop(within: limit) }
    }
}
