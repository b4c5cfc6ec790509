import Bytes
import Domain
import SignInTrace
import Testing

@testable import OAuth
@testable import TestTeams

/// What people leave behind whom nobody knows yet.
@Suite struct `Traces of strangers` {
    /// Records so many steps, each of a sign-in of its own, and returns how many are kept.
    private func record(
        _ count: Int, _ kind: TraceEvent.Kind, by subject: Subject? = nil, _ engine: Engine, from ip: (Int) -> String
    ) async throws -> Int {
        let request = try await engine.authorize(.web, Engine.fullRequest)
        for number in 0..<count {
            let origin = Origin(ip: ip(number), userAgent: "flood", requestID: "request \(number)")
            let interaction = engine.interactions.open(request, in: .acme, from: origin)
            engine.traces.record(kind, of: interaction, in: .acme, by: subject, from: origin)
        }
        await engine.traces.finish()
        let rows = try engine.teams.admin(
            "SELECT count(*) FROM flow_steps WHERE team_id = 'ACMETEAM01' AND kind = '\(kind.rawValue)'")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    @Test func `S18, V43: one address fills no disk by going to Apple and turning back`() async throws {
        for kind in [TraceEvent.Kind.sentToProvider, .cancelled] {
            try await withEngine { engine in
                let kept = try await record(1000, kind, engine) { _ in "203.0.113.9" }
                let unkept = try await engine.counts()["unkept "] ?? 0
                #expect((60...70).contains(kept) && kept + unkept == 1000)
                // Others of the team are still told of.
                let all = try await record(5, kind, engine) { "198.51.100.\($0)" }
                #expect(all == kept + 5)
            }
        }
    }

    @Test func `S18, V43: nor does a site of IPv6, or a team's whole crowd`() async throws {
        try await withEngine { engine in
            let site = try await record(1000, .sentToProvider, engine) { "2001:db8:7:\(String($0, radix: 16))::1" }
            #expect((240...280).contains(site))
            let population = try await record(1000, .sentToProvider, engine) { "198.51.\($0 / 250).\($0 % 250)" }
            #expect((300...360).contains(population))
        }
    }

    @Test func `what a person does who is known is kept, whoever came before`() async throws {
        try await withEngine { engine in
            _ = try await record(100, .cancelled, engine) { _ in "203.0.113.9" }
            let kept = try await record(100, .proved, by: engine.ada, engine) { _ in "203.0.113.9" }
            #expect(kept == 100)
        }
    }

    @Test func `V43: somebody who is known fills no disk either, and hides nobody else`() async throws {
        try await withEngine { engine in
            let kept = try await record(1000, .proved, by: engine.ada, engine) { "198.51.\($0 / 250).\($0 % 250)" }
            #expect((120...160).contains(kept))
            let stranger = try await record(5, .cancelled, engine) { _ in "203.0.113.9" }
            #expect(stranger == 5)
        }
    }
}
