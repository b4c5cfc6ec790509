import Domain
import EventLoop
import Testing

@testable import OAuth
@testable import TestTeams

@Suite struct TeamCacheRoomTests {
    @Test func `V43: a team that does not exist takes the place of none`() async throws {
        try await withTeams { teams in
            let cache = TeamCache(loop: teams.loop, database: teams.database, server: teams.server, capacity: 1)
            cache.confirm([:], at: .afterTheTest)
            let acme = try #require(try await cache.snapshot(of: .acme))

            for number in 100...120 {
                let nobody = try #require(TeamID(rawValue: "NOBODY0\(number)"))
                #expect(try await cache.snapshot(of: nobody) == nil)
            }

            #expect(try await cache.snapshot(of: .acme) === acme)
            // One that exists does.
            #expect(try await cache.snapshot(of: .rival) != nil)
            #expect(try await cache.snapshot(of: .acme) !== acme)
        }
    }
}
