import EventLoop
import Postgres
import TestSupport
import Testing

@testable import Core

/// What strangers' refusals leave in the operators' log.
@Suite struct `The log of refusals` {
    private func withRefusals(
        _ threshold: Log.Level = .info, _ body: @escaping @Sendable (RefusalLog, Notes) throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "refusals")
        try loop.start()
        defer { loop.stop() }
        let lines = Notes()
        try await loop.run { try body(RefusalLog(loop: loop, log: lines.log(threshold)), lines) }
    }

    @Test func `S18, V43: a flood of one cause is a few lines and a count, and hides no other`() async throws {
        try await withRefusals { refusals, lines in
            for number in 0..<5000 {
                refusals(.info, "protocol.refused", of: "ACMETEAM01", for: "code_used", ("request", "\(number)"))
            }
            refusals(.info, "protocol.refused", of: "RIVALTEAM1", for: "code_used", ("request", "r"))
            refusals(.warning, "upstream.failed", of: "ACMETEAM01", for: "upstream_busy", ("request", "p"))
            #expect(lines.all.count == RefusalLog.limit + 2)
            #expect(lines.all.last?.contains("\"request\":\"p\"") == true)

            refusals.flush()
            let sums = lines.all.filter { $0.contains("refusals.counted") }
            #expect(sums.count == 1)
            for part in ["protocol.refused", "ACMETEAM01", "code_used", "\"count\":\"\(5000 - RefusalLog.limit)\""] {
                #expect(sums.first?.contains(part) == true, "\(part)")
            }
            // The next minute begins anew.
            refusals(.info, "protocol.refused", of: "ACMETEAM01", for: "code_used", ("request", "next"))
            #expect(lines.all.last?.contains("next") == true)
        }
    }

    @Test func `S18, V43: many teams at once take bounded memory and lines`() async throws {
        try await withRefusals { refusals, lines in
            for number in 0..<3 * RefusalLog.capacity {
                refusals(.info, "authorize.refused", of: "TEAM\(number)", for: "client_unknown")
            }
            #expect(lines.all.count == RefusalLog.capacity)
            refusals.flush()
            #expect(lines.all.count == RefusalLog.capacity + 1)
            #expect(lines.all.last?.contains("\"count\":\"\(2 * RefusalLog.capacity)\"") == true)
        }
    }

    @Test func `V44: temporary failures are counted by route and cause, whatever else their causes say`() async throws {
        try await withRefusals { refusals, lines in
            for number in 0..<100 {
                let failure = PostgresFailure.unavailable("connection \(number)")
                for (route, error) in [("/a", failure), ("/b", failure), ("/a", PostgresFailure.overloaded)] {
                    let cause = RefusalLog.cause(of: error)
                    refusals.line(.warning, "request.failed", at: route, for: cause, [("cause", "\(error)")])
                }
            }
            #expect(lines.all.count == 3 * RefusalLog.limit)
            refusals.flush()
            let sums = lines.all.filter { $0.contains("refusals.counted") }
            #expect(sums.count == 3 && sums.allSatisfy { $0.contains("\"count\":\"80\"") })
            #expect(sums.filter { $0.contains("\"route\":\"/a\"") }.count == 2)
            #expect(sums.filter { $0.contains("\"cause\":\"too many statements wait\"") }.count == 1)
        }
    }

    @Test func `V44: the count of what was not written has the level of what it counts`() async throws {
        try await withRefusals(.warning) { refusals, lines in
            for number in 0..<100 + RefusalLog.capacity {
                let cause = number < 100 ? "overloaded" : "cause \(number)"
                refusals.line(.warning, "request.failed", at: "/a", for: cause, [])
                refusals(.info, "protocol.refused", of: "ACMETEAM01", for: "code_used")
            }
            refusals.flush()
            let sums = lines.all.filter { $0.contains("refusals.counted") }
            #expect(sums.count == 2, "one cause, and those that are counted together")
            #expect(sums.allSatisfy { $0.contains("\"level\":\"warning\"") })
        }
    }

    @Test func `lines below the threshold count for nothing`() async throws {
        try await withRefusals(.error) { refusals, lines in
            for _ in 0..<100 { refusals(.info, "protocol.refused", of: "ACMETEAM01", for: "code_used") }
            refusals.flush()
            #expect(lines.all.isEmpty)
        }
    }
}
