import Core
import Testing

@testable import Platform
@testable import pippin

/// The figures that a Prometheus reads.
@Suite struct MetricsTextTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static func process(_ id: String, on host: String = "a.example", isAlive: Bool = true) -> ProcessStatus {
        var beat = ProcessHeartbeat(id: id, host: host, pid: 7, version: "0.1.0", startedAt: now, clock: now, loops: 2)
        (beat.loopLag, beat.memory) = (250, 1_048_576)
        (beat.jobsSucceeded, beat.jobsFailed, beat.jobsDead, beat.traceEventsDropped) = (3, 2, 1, 4)
        (beat.connections.now, beat.connections.peak, beat.connections.limit) = (5, 6, 7)
        (beat.connections.refused, beat.connections.full, beat.connections.shortages) = (8, 9, 11)
        (beat.connections.descriptors, beat.connections.descriptorLimit) = (12, 13)
        (beat.connections.octetsInDelivery, beat.connections.answersGivenUp) = (15, 16)
        (beat.refused.tooMany, beat.refused.unavailable, beat.refused.limited) = (17, 18, ["probes": 19])
        return ProcessStatus(beat: beat, seenAt: now, isAlive: isAlive)
    }

    private static func lines(_ processes: [ProcessStatus], queue: [JobStatistics] = [], recurring: [RecurringJob] = [])
        -> [String]
    {
        let text = MetricsText(processes: processes, queue: queue, recurring: recurring).description
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `tell each figure of each process that is alive`() {
        let lines = Self.lines([Self.process("p1"), Self.process("p2", isAlive: false)])
        let labels = #"{process="p1",host="a.example""#
        for line in [
            "pippin_process_resident_bytes\(labels)} 1048576", "pippin_loop_lag_microseconds\(labels)} 250",
            "pippin_jobs_succeeded_total\(labels)} 3", "pippin_job_attempts_failed_total\(labels)} 2",
            "pippin_jobs_dead_total\(labels)} 1", "pippin_trace_events_dropped_total\(labels)} 4",
            "pippin_connections\(labels)} 5", "pippin_connections_peak\(labels)} 6",
            "pippin_connection_limit\(labels)} 7", "pippin_descriptors\(labels)} 12",
            "pippin_descriptor_limit\(labels)} 13", "pippin_octets_in_delivery\(labels)} 15",
            #"pippin_connections_refused_total\#(labels),cause="delivery"} 16"#,
            #"pippin_connections_refused_total\#(labels),cause="address"} 8"#,
            #"pippin_connections_refused_total\#(labels),cause="limit"} 9"#,
            #"pippin_connections_refused_total\#(labels),cause="descriptors"} 11"#,
            #"pippin_requests_refused_total\#(labels),status="429"} 17"#,
            #"pippin_requests_refused_total\#(labels),status="503"} 18"#,
            #"pippin_limited_total\#(labels),limit="probes"} 19"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(!lines.contains { $0.contains("p2") })
    }

    @Test func `tell jobs by kind and state, and which recurring ones fail`() {
        let mails = JobStatistics(kind: "mail.send", due: 1, later: 2, running: 3, dead: 4, oldest: .seconds(90))
        func recurring(_ kind: String, _ problem: String?) -> RecurringJob {
            RecurringJob(
                kind: kind, interval: .seconds(60), dueAt: Self.now, worker: nil, ranAt: nil, milliseconds: nil,
                problem: problem)
        }
        let lines = Self.lines([], queue: [mails], recurring: [recurring("a", nil), recurring("b", "away")])
        for line in [
            #"pippin_jobs{kind="mail.send",state="due"} 1"#, #"pippin_jobs{kind="mail.send",state="later"} 2"#,
            #"pippin_jobs{kind="mail.send",state="running"} 3"#, #"pippin_jobs{kind="mail.send",state="dead"} 4"#,
            #"pippin_jobs_oldest_due_seconds{kind="mail.send"} 90"#, #"pippin_schedule_failed{schedule="a"} 0"#,
            #"pippin_schedule_failed{schedule="b"} 1"#,
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test func `are well formed, whatever a host is called`() {
        let lines = Self.lines([Self.process("p", on: "a\"b\\c\nd")])
        #expect(lines.last == "")
        var declared: Set<String> = []
        for line in lines.dropLast() {
            if line.hasPrefix("# TYPE ") {
                let name = String(line.split(separator: " ")[2])
                #expect(declared.insert(name).inserted, "\(name) is declared twice")
                #expect(!name.hasSuffix("_total") || line.hasSuffix(" counter"))
            } else if !line.hasPrefix("# HELP ") {
                let name = String(line.prefix { $0 != "{" })
                #expect(declared.contains(name), "\(line)")
                #expect(line.contains(#"host="a\"b\\c\nd""#) && Int(line.split(separator: " ").last ?? "") != nil)
            }
        }
    }
}
