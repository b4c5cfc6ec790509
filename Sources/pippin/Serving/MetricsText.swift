import Jobs
import Operations

/// The figures, a line each (Prometheus, "Text-based format").
struct MetricsText: CustomStringConvertible {
    private var lines: [String] = []

    init(processes: [ProcessStatus], queue: [JobStatistics], schedules: [ScheduleStatus]) {
        tell(processes.filter(\.isAlive).map(\.beat))
        tell(queue)
        metric("pippin_schedule_failed", "gauge", "Whether the last run of a schedule failed.")
        for schedule in schedules {
            sample("pippin_schedule_failed", [("schedule", schedule.name)], schedule.problem == nil ? 0 : 1)
        }
    }

    var description: String { lines.joined(separator: "\n") + "\n" }

    private mutating func tell(_ processes: [ProcessBeat]) {
        let figures: [(name: String, kind: String, help: String, read: (ProcessBeat) -> Int)] = [
            ("pippin_process_resident_bytes", "gauge", "Resident memory.", { $0.memory }),
            (
                "pippin_loop_lag_microseconds", "gauge", "How long the slowest loop took to answer.",
                { Int($0.loopLag / .microseconds(1)) }
            ),
            ("pippin_jobs_succeeded_total", "counter", "Jobs that succeeded.", { $0.jobsSucceeded }),
            ("pippin_job_attempts_failed_total", "counter", "Attempts that failed.", { $0.jobsFailed }),
            ("pippin_jobs_dead_total", "counter", "Jobs that were given up.", { $0.jobsDead }),
            (
                "pippin_flow_steps_dropped_total", "counter", "Steps of sign-ins that the inspector lacks.",
                { $0.flowStepsDropped }
            ),
        ]
        for figure in figures {
            metric(figure.name, figure.kind, figure.help)
            for process in processes {
                sample(figure.name, [("process", process.id), ("host", process.host)], figure.read(process))
            }
        }
    }

    private mutating func tell(_ queue: [JobStatistics]) {
        metric("pippin_jobs", "gauge", "Jobs that have not succeeded, by kind and state.")
        for kind in queue {
            let states = [
                ("due", kind.due), ("later", kind.later), ("running", kind.running), ("dead", kind.dead),
            ]
            for (state, count) in states {
                sample("pippin_jobs", [("kind", kind.kind), ("state", state)], count)
            }
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
