import Crypto
import HTTP
import Platform

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
                var refusal = Response.text("401 Unauthorized\n", status: .unauthorized)
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
                "pippin_trace_events_dropped_total", "counter", "Events of sign-ins that the inspector lacks.",
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
