import Bytes
import Directory
import Domain
import EventLoop
import HTTP
import Simulator
import Testing

@testable import Hosted
@testable import TestTeams

/// How many handovers may fail, where the minute in which one began is over before it ends.
@Suite struct HandoverLimitsTests {
    @Test func `V46, V47: one that outlasts its minute gives nothing back in the next`() async throws {
        try await withTeams { teams in
            let limits = HandoverLimits(counts: LimitStore(teams.database))
            let address = try #require(IPAddress("2001:db8:1::1"))
            func enter(_ count: Int) async throws -> [HandoverLimits.Entry] {
                var entries: [HandoverLimits.Entry] = []
                for _ in 0..<count {
                    let entry = try await limits.enter(.address(address), in: .acme, at: teams.clock.now)
                    if let entry { entries.append(entry) }
                }
                return entries
            }
            func counts() throws -> [[String?]] {
                try teams.admin("SELECT count FROM limits WHERE subject LIKE 'handovers.%'")
            }
            let slow = try await enter(20)
            teams.clock.advance(by: .seconds(61))
            let quick = try await enter(20)
            #expect(slow.count == 20 && quick.count == 20)

            for entry in slow { try await limits.leave(entry, with: nil, in: .acme) }
            // Of the address, of its site and of the team.
            #expect(try counts() == [["20"], ["20"], ["20"]])
            let more = try await enter(20)
            #expect(more.isEmpty)

            for entry in quick { try await limits.leave(entry, with: nil, in: .acme) }
            #expect(try teams.admin("SELECT FROM limits WHERE count > 0").isEmpty)
        }
    }

    @Test(.apple) func `V47: of one person's many pairs has one count, and others go on`() async throws {
        let person = Performer.regular.subject.rawValue
        let (store, now) = (LimitStore(site.teams.database), site.teams.clock.now)
        _ = try await site.teams.loop.run {
            try await store.add(
                50, to: .account("handovers-of-person", person), window: .seconds(60), in: .acme, at: now)
        }
        #expect(try site.handOver(try site.device(.regular)).status == 429)
        #expect(try site.handOver(try site.device(.hidden)).status == 200)
    }
}
