import Core
import Federation
import HTTP
import OAuth
import Platform
import SignIn
import Templates
import Testing

@testable import Console

@Suite struct `The inspector's words for what goes wrong at Apple` {
    private static let causes = RefusalCause.allCases.filter { $0.rawValue.hasPrefix("upstream_") }

    /// What no provider is to blame for, nor what stands in its place.
    private static let ours: [RefusalCause] = [
        .upstreamSubjectTaken, .upstreamUnlinked, .upstreamAbsent, .upstreamBusy,
    ]

    @Test func `blame a provider for what it did alone`() {
        #expect(Self.causes.filter { !$0.isProviders } == Self.ours)
        #expect(RefusalCause.allCases.filter(\.isProviders) == Self.causes.filter(\.isProviders))
    }

    @Test(.environment) func `tell what the browser brought from what was asked and answered`() async throws {
        var developer = try await environment.signedIn("developer", [TeamID.acme: .developer])
        let now = environment.parts.server.clock()
        let trace = TraceID(ofRequest: "0123456789abcdef", at: now)
        let sent = [#""error","(20 octets)""#, #""endpoint","https://a.example""#]
        try environment.admin(
            "INSERT INTO traces (team_id, trace_id, outcome, opening) VALUES ('ACMETEAM01', $1, 'failed', $2)",
            trace.rawValue, #"{"kind":"authorization","at":0}"#)
        for (number, fact) in sent.enumerated() {
            let at = now + .seconds(number)
            try environment.admin(
                """
                INSERT INTO trace_events (team_id, trace_id, at, kind, event)
                VALUES ('ACMETEAM01', $1, $2::text::timestamptz, 'upstream_failed', $3)
                """, trace.rawValue, at.description,
                #"{"kind":"upstream_failed","at":\#(at.microseconds),"sent":[\#(fact)],"answered":["status","400"]}"#)
        }

        let page = try await developer.get(ConsoleRoutes.trace.link(TeamID.acme, trace)).text
        #expect(page.contains("What the browser brought"))
        #expect(page.contains("Sent to the simulator"))
        #expect(page.contains("simulator’s answer"))
        #expect(!page.contains("Sent to Apple") && !page.contains("Apple’s answer"))
    }

    @Test(.environment) func `stand on the page of the sign-in, with the true reason, and in the list`() async throws {
        var developer = try await environment.acmeWeb("developer", .developer)
        let team = try #require(try await environment.parts.teams.snapshot(of: .acme))
        let texts = try Translations(folder: repository + "/Texts")
        for (number, cause) in Self.causes.enumerated() {
            let failure = UpstreamFailure(cause, .anew, because: "what Apple said, number \(number).")
            environment.parts.traces.refuse(
                OAuthError(failure), .requestRefused, of: [FormCoding.Field("client_id", "com.acme.web")], to: team,
                from: Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-\(number)"))
        }
        try await environment.parts.finishTraces()

        for (number, cause) in Self.causes.enumerated() {
            let list = try await developer.get("\(ConsoleRoutes.traces.link(TeamID.acme))?cause=\(cause.rawValue)")
            let page = try await developer.get(try #require(Self.firstTrace(on: list.text)))
            let title = texts.text(Message(in: "console.causes", cause.rawValue))
            let meaning = texts.text(Message(in: "console.cause-meanings", cause.rawValue))
            #expect(list.text.contains(title) && page.text.contains(title), "\(cause)")
            #expect(page.text.contains(meaning), "\(cause)")
            #expect(page.text.contains(">Most likely causes<"), "\(cause)")
            #expect(page.text.contains("what Apple said, number \(number)."), "\(cause)")
            #expect(page.text.contains("Look first at the fault") == !Self.ours.contains(cause), "\(cause)")
        }
    }

    private static func firstTrace(on page: String) -> String? {
        page.split(separator: "\"").map(String.init).first {
            $0.hasPrefix("/console/") && $0.split(separator: "/").last?.utf8.count == 28
        }
    }
}
