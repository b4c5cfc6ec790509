import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What the team's inspector tells of a call to Apple that came to nothing: what was asked and what was answered.
@Suite(.apple) struct `The inspector of a call to Apple` {
    private static let answers: [(Fault, [String])] = [
        (.unknownClient, [#""status","400","error","invalid_client","fault","unknown_client""#]),
        (.badRequest, [#""status","400","error","invalid_request","fault","bad_request""#]),
        (.throttled, [#""status","429","fault","throttled""#]), (.trouble, [#""status","503","fault","trouble""#]),
        (.broken, [#""status","("#]),
    ]

    @Test(arguments: answers) func `shows status and words of the answer, and whose the call was`(
        _ fault: Fault, _ told: [String]
    ) async throws {
        let (browser, back) = try site.back()
        site.script.set(fault, at: .token, times: 9)
        _ = try browser.get(back)

        let step = try await Self.failure()
        for words in told { #expect(step.contains(words), "\(step)") }
        #expect(step.contains(#""endpoint","http"#) && step.contains(#"/apple/auth/token""#))
        #expect(step.contains(#""client_id","com.acme.siwa""#))
        #expect(step.contains("auth/callback/apple") && step.contains(#""client_secret.kid""#))
        #expect(!step.contains("eyJ") && !step.contains(#""code","c"#))
    }

    @Test func `shows a native app's likewise, before the refusal it led to`() async throws {
        let given = try site.device(.regular)
        site.script.set(.unknownClient, at: .token, times: 9)
        #expect(try site.handOver(given).json["error"] == "invalid_client")

        let step = try await Self.failure()
        #expect(step.contains(#""status","400","error","invalid_client""#))
        #expect(step.contains(#""client_id","com.acme.app""#))
        let later = try site.admin("SELECT kind FROM trace_events WHERE team_id = 'ACMETEAM01'")
        #expect(later == [["request_refused"]])
    }

    @Test func `keeps of an error that the browser brought no text that is no code`() async throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        let text = "call +1 555 0100 now"
        _ = try browser.get(try browser.postBack(exit, changing: ["error": text]))

        let step = try await Self.failure()
        #expect(step.contains(#""error","(20 octets)""#) && !step.contains("555"))
    }

    @Test func `shows what the browser took to Apple`() async throws {
        let browser = site.browser()
        _ = try browser.goToApple()

        let step = try await Self.step("sent_to_provider")
        for words in [
            #""client_id","com.acme.siwa""#, #""response_type","code id_token""#, #""response_mode","form_post""#,
            #""code_challenge_method","S256""#, #""scope","name email""#,
        ] { #expect(step.contains(words), "\(words)") }
    }

    private static func failure() async throws -> String { try await step("upstream_failed") }

    /// The step of that kind as it is stored, once it is.
    private static func step(_ kind: String) async throws -> String {
        let statement = """
            SELECT event FROM trace_events WHERE team_id = 'ACMETEAM01' UNION ALL
            SELECT opening FROM traces WHERE team_id = 'ACMETEAM01'
            """
        func found() throws -> String? {
            try site.admin(statement).compactMap { $0[0] }.first { $0.contains("\"kind\":\"\(kind)\"") }
        }
        try await site.wait { try found() != nil }
        return try #require(try found())
    }
}
