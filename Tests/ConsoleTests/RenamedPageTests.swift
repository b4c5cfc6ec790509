import Platform
import Testing

@testable import Console

/// Pages have other addresses since 0.3.0; links that were kept lead to them for one release.
@Suite struct RenamedPageTests {
    @Test(
        .environment,
        arguments: [
            ("/flows?outcome=failed&app=com.acme.web&trial=no", "/traces?outcome=failed&app=com.acme.web&test=no"),
            ("/flows/0123456789ab0123456789abcdef", "/traces/0123456789ab0123456789abcdef"),
            ("/notices", "/notifications"), ("/notices/aaaa", "/notifications/aaaa"), ("/cutoffs", "/not-before"),
            ("/service-ids/com.acme.web/trials/new", "/service-ids/com.acme.web/test-sign-ins/new"),
            ("/keys/", "/keys"), ("/", ""), ("/trials/AAAAAAAAAAAAAAAAAAAAAA", "/test-sign-ins/AAAAAAAAAAAAAAAAAAAAAA"),
        ]) func `a former address leads to the page's own, with its query`(former: String, page: String) async throws
    {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])

        let answer = try await owner.get("/console/ACMETEAM01\(former)")
        #expect(answer.status == 303 && answer.location == "/console/ACMETEAM01\(page)")
    }

    @Test(.environment) func `an address that no page had is not found`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])

        #expect(try await owner.get("/console/ACMETEAM01/flow").status == 404)
        #expect(try await owner.post("/console/ACMETEAM01/notices/aaaa/replays", []).status == 404)
        #expect(try await owner.get("/console/ACMETEAM01/traces/traces").status == 404)
    }
}
