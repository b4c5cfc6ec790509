import Bytes
import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

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
