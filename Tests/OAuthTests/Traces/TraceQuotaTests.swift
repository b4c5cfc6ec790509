import Bytes
import Domain
import Testing

@testable import OAuth
@testable import SignInTrace
@testable import TestTeams

@Suite struct `An allowance of stored steps` {
    @Test func `S18: is not given back to who used it up, however many others come`() {
        var allowance = TraceQuota<Int>(burst: 2, perDay: 1, capacity: 200)
        let first = (0..<3).map { _ in allowance.take(for: -1, at: 0) }
        #expect(first == [true, true, false])
        let others = (0..<500).map { allowance.take(for: $0, at: 0) }
        #expect(others.allSatisfy { $0 })
        let again = allowance.take(for: -1, at: 0)
        #expect(!again)
        // Two days later there is one for everybody.
        let later = allowance.take(for: -1, at: 2 * 86_400_000_000_000)
        #expect(later)
    }
}

@Suite struct `An allowance of a sender` {
    private let few = SenderQuota.Rate(10, perDay: 1)
    private let many = SenderQuota.Rate(1000, perDay: 1)

    @Test func `V43: holds over all teams together`() {
        var allowance = SenderQuota(
            address: few, site: few, everywhere: SenderQuota.Rate(15, perDay: 1), team: many, share: many,
            installation: many)
        let kept = [TeamID.acme, .rival].map { team in
            (0..<20).count { _ in allowance.take(from: "203.0.113.9", in: team, at: 0) }
        }
        #expect(kept == [10, 5])
        // Another address of the second team has its own.
        let another = allowance.take(10, from: "203.0.113.10", in: .rival, at: 0)
        #expect(another)
    }

    @Test func `V43: holds over all networks of a site in all teams`() {
        var allowance = SenderQuota(
            address: few, site: many, everywhere: SenderQuota.Rate(15, perDay: 1), team: many, share: many,
            installation: many)
        let kept = [TeamID.acme, .rival].map { team in
            (0..<20).count { allowance.take(from: "2001:db8:7:\($0)::1", in: team, at: 0) }
        }
        #expect(kept == [15, 0])
    }

    @Test func `V43, V54: leaves a team its share, however much the others take of the installation's`() {
        var allowance = SenderQuota(
            address: many, site: many, everywhere: many, team: many, share: few,
            installation: SenderQuota.Rate(100, perDay: 1))
        let flood = (0..<500).count { allowance.take(from: "203.0.113.\($0 % 250)", in: .acme, at: 0) }
        #expect(flood == 110)
        let others = (0..<20).count { _ in allowance.take(from: "198.51.100.1", in: .rival, at: 0) }
        #expect(others == 10)
    }

    @Test func `V43: counts what is large as much`() {
        var allowance = SenderQuota(
            address: few, site: few, everywhere: many, team: many, share: many, installation: many)
        let kept = (0..<10).count { _ in allowance.take(4, from: "203.0.113.9", in: .acme, at: 0) }
        #expect(kept == 2)
    }
}

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
        let rows = try engine.admin(
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
