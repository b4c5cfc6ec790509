import Core
import EventLoop
import Platform
import Testing

@testable import pippin

extension WholeProduct {
    /// How an operator sees that requests are refused, of which the log at its ordinary level says nothing.
    @Suite struct `Requests answered 429` {
        @Test func `are counted, and told by /metrics with a sign of life`() async throws {
            try await withWalk { walk in
                let process = walk.product.process
                let before = process.refusals.figures
                try walk.product.useUpHeavyWork(of: Product.team)
                let statuses = (0..<3).map { _ in walk.replaceKeys(of: Product.team) }
                // On the same connection: by its answer all those before it have ended.
                #expect(walk.get("/healthz").status == 200)

                #expect(statuses == [429, 429, 429])
                let figures = process.refusals.figures
                #expect(figures.tooMany - before.tooMany == 3)
                #expect(figures.unavailable == before.unavailable)
                #expect(figures.limited["heavy-work"] == 3 + before.limited["heavy-work", default: 0])

                let worker = process.loopServices[0]
                try worker.loop.wait {
                    try await ProcessStore(SystemDatabase(worker.system)).note(Self.beat(with: figures))
                }
                // However late the figures are asked for, the process counts as alive.
                try walk.product.admin("UPDATE heartbeats SET seen_at = now() + interval '1 hour'")
                // A server of another release beside it writes what it likes.
                try walk.product.admin(
                    """
                    INSERT INTO heartbeats (process_id, seen_at, heartbeat)
                    VALUES ('next', now() + interval '1 hour', '{"host": "next.example", "memory": "much"}')
                    """)
                let text = walk.get("/metrics").text
                #expect(text.contains(#"pippin_process_resident_bytes{process="next",host="next.example"} 0"#))
                let name = #"pippin_requests_refused_total{process="p1",host="a.example""#
                #expect(text.contains(#"\#(name),status="429"} \#(figures.tooMany)"#))
                #expect(text.contains(#"\#(name),status="503"} \#(figures.unavailable)"#))
                let limited = try #require(figures.limited["heavy-work"])
                let limit = #"pippin_limited_total{process="p1",host="a.example",limit="heavy-work"}"#
                #expect(text.contains("\(limit) \(limited)\n"))
            }
        }

        private static func beat(with refused: RefusedRequests) -> ProcessHeartbeat {
            var beat = ProcessHeartbeat(
                id: "p1", host: "a.example", pid: 7, version: "0.1.0", startedAt: .now(), clock: .now(), loops: 1)
            beat.refused = refused
            return beat
        }
    }
}
