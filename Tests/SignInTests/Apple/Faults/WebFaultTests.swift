import AuthEngine
import Bytes
import Domain
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What goes wrong at Apple: nothing is lost, the person learns what helps, the team learns why.
@Suite struct `A fault of Apple's` {
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let place: Place
        let cause: RefusalCause
        let status: Int
        /// Whether the same answer works once the fault is over.
        let again: Bool

        var testDescription: String { "\(fault) at \(place)" }

        init(_ fault: Fault, _ place: Place, _ cause: RefusalCause, _ status: Int, again: Bool = false) {
            (self.fault, self.place, self.cause, self.status, self.again) = (
                fault, place, cause, status, again
            )
        }

        static let all = [
            Case(.trouble, .token, .providerTrouble, 503, again: true),
            Case(.throttled, .token, .providerThrottles, 503, again: true),
            Case(.broken, .token, .providerMalformed, 503),
            Case(.malformed, .token, .providerMalformed, 503),
            Case(.unknownClient, .token, .providerClient, 400, again: true),
            Case(.unknownKey, .token, .providerKey, 503),
            Case(.otherIssuer, .token, .providerIssuer, 400),
            Case(.otherAudience, .token, .providerAudience, 400),
            Case(.expired, .token, .providerExpired, 400),
            Case(.ahead, .token, .providerExpired, 503),
            Case(.trouble, .keys, .providerTrouble, 503, again: true),
            Case(.throttled, .keys, .providerTrouble, 503, again: true),
            Case(.unknownKey, .browser, .providerKey, 503),
            Case(.otherIssuer, .browser, .providerIssuer, 400),
            Case(.otherAudience, .browser, .providerAudience, 400),
            Case(.otherNonce, .browser, .providerNonce, 400),
            Case(.expired, .browser, .providerExpired, 400),
            Case(.ahead, .browser, .providerExpired, 503),
        ]
    }

    @Test(arguments: Case.all)
    func `loses no name, and is told in words`(_ trouble: Case) async throws {
        try await withApple { site in
            // A token that is wrong on purpose must be wrong in one way alone: its key is published.
            if trouble.fault != .unknownKey { site.script.set(.newKey, at: .revocation) }
            site.script.set(trouble.fault, at: trouble.place)
            let browser = site.browser()
            let back = try browser.postBack(
                try browser.choose(.regular, on: try browser.goToApple()),
                to: site.port
            )

            let page = try browser.get(back)
            #expect(page.status == trouble.status && page.reference != nil)
            #expect(site.lines.all.contains { $0.contains("\"cause\":\"\(trouble.cause.rawValue)\"") })
            #expect(!page.body.contains("Error") && !page.body.contains("eyJ"))

            if trouble.again {
                site.teams.clock.advance(by: .seconds(2))
                let exit = try browser.get(back)
                #expect(exit.value(of: "user")?.contains("Rita") == true && exit.value(of: "code") != nil)
            } else {
                let exit = try site.browser().signInAtApple(.regular)
                #expect(exit.value(of: "code") != nil)
                let knowsName = trouble.place == .token
                #expect((exit.value(of: "user")?.contains("Rita") == true) == knowsName)
            }
        }
    }

    @Test func `that is a new key is none: the key is fetched`() async throws {
        try await withApple { site in
            _ = try site.browser().signInAtApple(.regular)
            site.teams.clock.advance(by: .seconds(60))
            site.script.set(.newKey, at: .token)
            #expect(try site.browser().signInAtApple(.regular).value(of: "code") != nil)
        }
    }
}
