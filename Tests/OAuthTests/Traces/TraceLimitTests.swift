import Core
import Platform
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

@Suite struct `A event of many octets` {
    /// A refusal at the token endpoint that tells as much as it can.
    private func refuse(
        _ count: Int, of letter: String, by recorder: TraceRecorder, _ engine: Engine, from ip: String = "203.0.113.9",
        cause: RefusalCause = .other
    ) async throws {
        let (snapshot, long) = (try await engine.snapshot(), String(repeating: letter, count: 2000))
        let claims = #"{"iss":"\#(long)","sub":"\#(long)","aud":"\#(long)"}"#
        let secret = ["{}", claims, "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let words: [FieldName] = ["scope", "grant_type", "prompt", "locale", "response_type", "redirect_uri"]
        let fields = [FormCoding.Field("client_secret", secret)] + words.map { FormCoding.Field($0, long) }
        let error = OAuthError(.invalidClient, cause: cause, because: long)
        for number in 0..<count {
            let origin = Origin(ip: ip, userAgent: long, requestID: "\(cause) of \(ip), \(number)")
            recorder.refuse(error, .tokenRefused, of: fields, to: snapshot, from: origin)
        }
        await recorder.finish()
    }

    @Test(arguments: ["Ж", "<", "\""]) func `V43: is cut, and counted for all loops`(letter: String) async throws {
        try await withEngine(limits: ["trace-events-of-cause": 3]) { engine in
            for recorder in [engine.traces, engine.anotherRecorder()] {
                try await refuse(10, of: letter, by: recorder, engine)
                let rows = try engine.admin("SELECT octet_length(opening) FROM traces").map { Int($0[0] ?? "") ?? 0 }
                #expect(rows.count == 3 && rows.allSatisfy { (1024...8192).contains($0) })
            }
        }
    }

    @Test func `S18, V43: is kept so often of a network that does not sign in, whatever the cause`() async throws {
        try await withEngine(limits: ["trace-events-of-network": 3]) { engine in
            func kept() throws -> Int { try engine.admin("SELECT FROM traces").count }
            try await refuse(2, of: "x", by: engine.traces, engine)
            try await refuse(2, of: "x", by: engine.traces, engine, cause: .unreadable)
            #expect(try kept() == 3)
            try await refuse(1, of: "x", by: engine.traces, engine, from: "198.51.100.7")
            #expect(try kept() == 4)
            // People who are known share no count with strangers.
            let origin = Origin(ip: "203.0.113.9", userAgent: "", requestID: "r")
            engine.traces.arrive(engine.ada, at: .app, in: .acme, from: origin)
            await engine.traces.finish()
            #expect(try kept() == 5)
        }
    }

    @Test func `V42: makes no page of a trace that is longer than a browser shows`() async throws {
        try await withEngine { engine in
            let id = try #require(TraceID(rawValue: String(repeating: "a", count: 28)))
            var trace = PendingTrace(id)
            trace.opening = TraceEvent(.authorization, at: engine.clock.now, from: .local)
            trace.events = (0..<150).map { number in
                let facts = (0..<10).map { TraceAttribute("fact \($0)", String(repeating: "Ж", count: 150)) }
                let moment = engine.clock.now + .seconds(number)
                return TraceEvent(.proved, at: moment, from: .local, sent: facts)
            }
            try await TraceStore(engine.database).write([trace], in: .acme)
            let told = try #require(try await TraceDetailStore(engine.database).find(id, in: .acme))
            #expect((30...60).contains(told.events.count))
            #expect(told.events.map(\.at) == told.events.map(\.at).sorted())
            #expect(told.events.last?.sent == trace.events.first?.sent)
        }
    }
}

@Suite struct `A trace that never ends` {
    @Test func `V42: is kept with two hundred events, however often one goes back and forth`() async throws {
        try await withEngine { engine in
            let id = try #require(TraceID(rawValue: String(repeating: "a", count: 28)))
            func pending(_ count: Int, after seconds: Int) -> PendingTrace {
                var trace = PendingTrace(id)
                trace.opening = TraceEvent(.authorization, at: engine.clock.now, from: .local)
                for number in 0..<count {
                    var part = PendingTrace(id)
                    let moment = engine.clock.now + .seconds(seconds + number)
                    part.events = [TraceEvent(.proved, at: moment, from: .local)]
                    trace.add(part)
                }
                return trace
            }
            let store = TraceStore(engine.database)
            try await store.write([pending(500, after: 0)], in: .acme)
            try await store.write([pending(100, after: 1000)], in: .acme)
            #expect(try engine.admin("SELECT FROM trace_events").count == TraceDetailStore.eventLimit)
        }
    }
}
