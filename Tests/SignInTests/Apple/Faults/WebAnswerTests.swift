import Core
import OAuth
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What is posted to Apple's callback need not be what Apple posted.
@Suite(.apple) struct `An answer in Apple's callback` {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [String: String?]
        let outcome: FaultCase.Outcome

        static let all = [
            Case("another error", ["error": "invalid_client"], .never(.upstreamRefused)),
            Case("no code", ["code": nil], .anew(.upstreamAnswer)),
            Case("no token", ["id_token": nil], .anew(.upstreamAnswer)),
            Case("another code", ["code": "c0.another.code"], .anew(.upstreamToken)),
            Case("a token that is none", ["id_token": "a.b.c"], .anew(.upstreamToken)),
            Case("an unsigned token", ["id_token": unsigned(#"{"alg":"none"}"#)], .anew(.upstreamToken)),
            Case(
                "a token signed with a password", ["id_token": unsigned(#"{"alg":"HS256","kid":"APPLEKEY01"}"#)],
                .anew(.upstreamToken)),
        ]

        init(_ description: String, _ changes: [String: String?], _ outcome: FaultCase.Outcome) {
            (testDescription, self.changes, self.outcome) = (description, changes, outcome)
        }

        private static func unsigned(_ header: String) -> String {
            [header, #"{"sub":"000000.victim.0000"}"#, "no signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(
                separator: ".")
        }
    }

    @Test(arguments: Case.all) func `proves nobody when it is not whole, is told in words, and spends no code`(
        _ trouble: Case
    ) async throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        let page = try browser.get(try browser.postBack(exit, changing: trouble.changes))

        trouble.outcome.expect(on: page)
        try await site.expectTrace(trouble.outcome)
        try Self.expectNobody()
    }

    @Test func `waits for its team where the connection to Apple was taken away meanwhile`() async throws {
        let (browser, back) = try site.back()
        try site.setIdentitySources("directory")
        let page = try browser.get(back)
        FaultCase.Outcome.never(.upstreamAbsent).expect(on: page)
        try await site.expectTrace(.never(.upstreamAbsent))
        try Self.expectNobody()

        try site.setIdentitySources("directory,apple")
        #expect(try browser.get(back).value(of: "user")?.contains("Rita") == true)
    }

    @Test(arguments: ["no JSON", "[]", "{\"name\":7}", String(repeating: "[", count: 200)])
    func `signs people in whatever stands in the form field that nobody signed`(_ user: String) throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        let page = try browser.get(try browser.postBack(exit, changing: ["user": user]))
        #expect(page.value(of: "code") != nil)
        #expect(try site.claims(of: page)["email"] == "rita@icloud.example")
    }

    private static func expectNobody() throws {
        #expect(try site.count("upstream_identities") == 0)
        let codes = try site.admin("SELECT redeemed_at FROM authorization_codes WHERE team_id = 'APPLESIM00'")
        #expect(codes == [[nil]])
    }
}
