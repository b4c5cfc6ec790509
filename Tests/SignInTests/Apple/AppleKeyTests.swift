import Platform
import Simulator
import Testing

@testable import TestTeams

/// Apple's keys, which come and go without notice.
@Suite(.apple) struct `The keys of Apple` {
    @Test func `stay good for a day while Apple does not answer`() throws {
        _ = try site.browser().signInAtApple(.regular)

        site.clock.advance(by: .seconds(2 * 3600))
        site.script.set(.trouble, at: .keys, times: 10)
        #expect(try site.browser().signInAtApple(.regular).value(of: "code") != nil)

        site.clock.advance(by: .seconds(23 * 3600))
        #expect(try site.browser().signInAtApple(.regular).status == 503)
    }

    @Test func `V53: are asked for again once a clock that was a day ahead is set right`() throws {
        site.clock.advance(by: .seconds(86_400))
        // As where Apple's certificate seems to have expired.
        site.script.set(.trouble, at: .keys, times: 1)
        let refused = try site.browser().signInAtApple(.regular)
        #expect(refused.status == 503)
        site.clock.advance(by: .seconds(-86_400))
        #expect(try site.browser().signInAtApple(.regular).value(of: "code") != nil)
    }

    @Test func `let nobody wait who needs one that is known, while Apple hangs`() async throws {
        _ = try site.browser().signInAtApple(.regular)
        site.clock.advance(by: .seconds(2 * 3600))
        let signIn = { try site.browser().signInAtApple(.regular) }
        let exit = try await site.hold(.keys, while: signIn) { #expect(site.script.heldCount(at: .keys) == 1) }
        #expect(exit.value(of: "code") != nil, "came while the keys' call hung")
    }

    @Test func `are not fetched again and again for tokens that name none of them`() throws {
        _ = try site.browser().signInAtApple(.regular)
        let before = site.calls(to: .keys)

        for _ in 0..<5 {
            site.script.set(.unknownKey, at: .browser)
            #expect(try site.browser().signInAtApple(.regular).status == 503)
        }
        let after = site.calls(to: .keys)
        #expect(after == before)

        site.clock.advance(by: .seconds(11))
        site.script.set(.unknownKey, at: .browser)
        #expect(try site.browser().signInAtApple(.regular).status == 503)
        #expect(site.calls(to: .keys) == before + 1)
    }
}
