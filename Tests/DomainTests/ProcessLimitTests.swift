import Bytes
import Domain
import Testing

@Suite struct `Limits that a process counts alone` {
    @Test(arguments: [RateLimit.traceEvents, .traceEventsOfCause]) func `are exact, whatever their number`(
        limit: RateLimit
    ) {
        let (counts, now) = (LimitCounts(), Timestamp(seconds: 1_800_000_000))
        func kept(_ team: TeamID, at moment: Timestamp) -> Int {
            (0..<limit.count + 5).count { _ in
                counts.isWithin([RateLimit.Use(limit, by: .cause("password_wrong"))], in: team, at: moment)
            }
        }
        #expect(kept(.system, at: now) == limit.count && kept(.system, at: now) == 0)
        #expect(kept(.system, at: now + limit.window) == limit.count)
    }
}
