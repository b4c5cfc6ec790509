import Core
import EventLoop
import TestSupport
import Testing

@testable import pippin

/// Which requests are worth a warning, and how many of them.
@Suite struct RequestLogTests {
    /// The lines of as many requests of each status, of which none was slow.
    private func lines(of statuses: [UInt16], _ count: Int, _ threshold: Log.Level = .info) async throws -> [String] {
        let loop = try EventLoop(name: "requests")
        try loop.start()
        defer { loop.stop() }
        let lines = Notes()
        try await loop.run {
            let log = Log(threshold: threshold) { lines.note(line: $0) }
            let requests = RequestLog(log: log, refusals: RefusalLog(loop: loop, log: log))
            for number in 0..<count {
                for status in statuses {
                    let warning = RequestLog.warning(status: status, isSlow: false)
                    requests.note(warning, at: "/t/:team/auth/token", [("request", "\(status)-\(number)")])
                }
            }
        }
        return lines.all
    }

    @Test func `V44: only what took us long, and was answered whole, is slow`() {
        #expect(RequestLog.isSlow(work: .milliseconds(1001), wasSent: true))
        #expect(!RequestLog.isSlow(work: .milliseconds(1000), wasSent: true))
        #expect(!RequestLog.isSlow(work: .seconds(29), wasSent: false))
    }

    @Test func `V44: what anybody can cause is counted, and our own faults are not`() {
        #expect(RequestLog.warning(status: 505, isSlow: false) == .counted("505"))
        #expect(RequestLog.warning(status: 503, isSlow: true) == .counted("503"))
        #expect(RequestLog.warning(status: 200, isSlow: true) == .counted("slow"))
        #expect(RequestLog.warning(status: 500, isSlow: true) == .fault)
        for status: UInt16 in [0, 200, 303, 400, 404, 413, 431, 499] {
            #expect(RequestLog.warning(status: status, isSlow: false) == nil, "\(status)")
        }
    }

    @Test func `V44: a flood of requests that HTTP refuses leaves twenty lines of each`() async throws {
        let found = try await lines(of: [503, 505], 1000)
        #expect(found.count == 40)
        #expect(found.filter { $0.contains("\"503-") }.count == 20)
    }

    @Test func `V44: each fault of ours has its line, whatever else is counted`() async throws {
        let found = try await lines(of: [503, 500], 1000)
        #expect(found.filter { $0.contains("\"500-") }.count == 1000)
        #expect(found.count == 1020)
    }

    @Test func `V44: all requests are in the log at level debug`() async throws {
        let found = try await lines(of: [503, 505, 500, 404], 100, .debug)
        #expect(found.count == 400)
    }
}
