import Core
import Federation
import OAuth
import Simulator
import TestSupport
import Testing

/// What Apple leaves hanging ends by our deadlines, which other tests put off to where nothing reaches them.
@Suite struct AppleDeadlineLongTests {
    private static let deadlines: [(Place, AppleService.Timeouts)] = [
        (.token, AppleService.Timeouts(calls: .shortPause)), (.keys, AppleService.Timeouts(keys: .shortPause)),
    ]

    @Test(arguments: deadlines)
    func `a call that Apple never answers ends with the page that says so, and for apps with their error`(
        place: Place, deadlines: AppleService.Timeouts
    ) async throws {
        try await withApple(deadlines: deadlines) { site in
            site.script.set(.slow, at: place, times: .max)
            let page = try site.browser().signInAtApple(.regular)
            FaultCase.Outcome.again(.upstreamUnreachable).expect(on: page)
            #expect(page.headline == "Apple does not answer")
            try await site.expectTrace(.again(.upstreamUnreachable))

            let answer = try site.handOver(try site.device(.hidden))
            #expect(answer.status == 503 && answer.json["error"] == "temporarily_unavailable")
        }
    }
}
