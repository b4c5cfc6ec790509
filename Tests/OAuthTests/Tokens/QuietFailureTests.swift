import Core
import Platform
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// Finding S25: what fails beside a request leaves a line.
@Suite struct QuietFailureTests {
    @Test func `S25: what the database refuses to note of a request is told with the request's id`() async throws {
        try await withEngine { engine in
            let lines = Notes()
            let uses = KeyUses(database: engine.database, log: lines.log(.warning))
            let redeemers = RedeemingClients(database: engine.database, log: lines.log(.warning))
            let web = try #require(try await engine.snapshot().client(.web))
            let client = AuthenticatedClient(web, by: .secret(.acme, endsAt: engine.clock.now))
            let origin = Origin(ip: "192.0.2.1", userAgent: "", requestID: "feedfeedfeedfeed")
            for table in ["key_uses", "client_secret_ends", "redeeming_clients"] {
                try engine.admin("ALTER TABLE \(table) RENAME TO \(table)_gone")
            }
            await uses.note(client, in: .acme, at: engine.clock.now, from: origin)
            await redeemers.note(.web, in: .acme, from: origin)
            for event in ["key_use.not_kept", "client_secret_end.not_kept", "first_redemption.not_kept"] {
                let line = lines.all.first { $0.contains("\"\(event)\"") }
                #expect(line?.contains("feedfeedfeedfeed") == true, "\(event)")
            }
        }
    }

    @Test func `S25: work beside a request throws nothing, and tells whether it succeeded`() async {
        struct Broken: Error {}
        let lines = Notes()
        #expect(await lines.log(.warning).attempt("test.good", request: "r") { 1 })
        #expect(lines.all.isEmpty)
        #expect(await !lines.log(.warning).attempt("test.bad", request: "r") { throw Broken() })
        #expect(lines.all.count == 1 && lines.all[0].contains("\"request\":\"r\""))
    }
}

extension Notes {
    /// A log whose lines these are.
    func log(_ threshold: Log.Level) -> Log { Log(threshold: threshold) { self.note(line: $0) } }
}
