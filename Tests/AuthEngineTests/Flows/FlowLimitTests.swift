import Bytes
import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

@Suite struct `A step of many octets` {
    /// A refusal at the token endpoint that tells as much as it can.
    private func refuse(
        _ count: Int,
        of letter: String = "Ж",
        by recorder: FlowRecorder,
        _ engine: Engine
    ) async throws {
        let (snapshot, long) = (try await engine.snapshot(), String(repeating: letter, count: 2000))
        let claims = #"{"iss":"\#(long)","sub":"\#(long)","aud":"\#(long)"}"#
        let secret = ["{}", claims, "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let words: [FieldName] = ["scope", "grant_type", "prompt", "locale", "response_type", "redirect_uri"]
        let fields = [FormCoding.Field("client_secret", secret)] + words.map { FormCoding.Field($0, long) }
        let error = OAuthError(.invalidClient, because: long)
        for number in 0..<count {
            let origin = Origin(ip: "203.0.113.9", userAgent: long, requestID: "request \(number)")
            recorder.refuse(error, .tokenRefused, of: fields, to: snapshot, from: origin)
        }
        await recorder.finish()
    }

    private func stored(_ engine: Engine) throws -> [Int] {
        try engine.teams.admin("SELECT octet_length(opening) FROM flows")
            .compactMap { $0[0].flatMap { Int($0) } }
    }

    @Test(arguments: ["Ж", "<", "\""])
    func `V43: is cut, and uses up as much of its sender's allowance`(letter: String) async throws {
        try await withEngine { engine in
            try await refuse(100, of: letter, by: engine.flows, engine)
            let rows = try stored(engine)
            #expect(!rows.isEmpty && rows.allSatisfy { (1024...8192).contains($0) })
            #expect(rows.reduce(0, +) <= 128 << 10)
        }
    }

    @Test func `V43: uses up the allowance of every loop`() async throws {
        try await withEngine { engine in
            try await refuse(100, by: engine.flows, engine)
            let before = try stored(engine).count
            try await refuse(100, by: engine.anotherRecorder(), engine)
            #expect(try stored(engine).count <= before + 1)
        }
    }

    @Test func `V51: tells no secret that an earlier release did not know for one`() throws {
        let token = "r0123456789abcdef0123456789abcdef.0.mrp.AbCdEfGhIjKlMnOpQrStUv"
        let stored = #"{"kind":"token_refused","at":1,"sent":["client_id","\#(token)"]}"#
        let step = try #require(try FlowStep(stored: stored))
        #expect(step.sent.map(\.value) == [Redaction.withheld])
    }

    @Test func `V42: makes no page of a flow that is longer than a browser shows`() async throws {
        try await withEngine { engine in
            let id = try #require(FlowID(rawValue: String(repeating: "a", count: 28)))
            var flow = PendingFlow(id)
            flow.opening = FlowStep(.authorization, at: engine.clock.now, from: .local)
            flow.steps = (0..<150).map { number in
                let facts = (0..<10).map { FlowFact("fact \($0)", String(repeating: "Ж", count: 150)) }
                let moment = engine.clock.now + .seconds(number)
                return FlowStep(.proved, at: moment, from: .local, sent: facts)
            }
            try await FlowStore(engine.teams.database).write([flow], in: .acme)
            let told = try #require(try await FlowDetailStore(engine.teams.database).find(id, in: .acme))
            #expect((30...60).contains(told.steps.count))
            #expect(told.steps.map(\.at) == told.steps.map(\.at).sorted())
            #expect(told.steps.last?.sent == flow.steps.first?.sent)
        }
    }
}

@Suite struct `A flow that never ends` {
    @Test func `V42: is kept with two hundred steps, however often one goes back and forth`() async throws {
        try await withEngine { engine in
            let id = try #require(FlowID(rawValue: String(repeating: "a", count: 28)))
            func pending(_ count: Int, after seconds: Int) -> PendingFlow {
                var flow = PendingFlow(id)
                flow.opening = FlowStep(.authorization, at: engine.clock.now, from: .local)
                for number in 0..<count {
                    var part = PendingFlow(id)
                    let moment = engine.clock.now + .seconds(seconds + number)
                    part.steps = [FlowStep(.proved, at: moment, from: .local)]
                    flow.add(part)
                }
                return flow
            }
            let store = FlowStore(engine.teams.database)
            try await store.write([pending(500, after: 0)], in: .acme)
            try await store.write([pending(100, after: 1000)], in: .acme)
            #expect(try engine.teams.admin("SELECT FROM flow_steps").count == FlowDetailStore.stepLimit)
        }
    }
}
