import Core
import Testing

/// Texts that no well-behaved app sends, at the addresses themselves.
@Suite(.site) struct ExtremeInputTests {
    @Test func `S31, V52: a form whose names are marks out of order is an invalid request at every address`() throws {
        let run = String(repeating: "\u{301}\u{323}", count: 1300)
        for path in ProtocolEndpointTests.forms {
            for body in ["client_id=x&\(run)=1&\(run)=2", "client_id=\(PercentCoding.encode(run))"] {
                let answer = try site.ask("POST", path, [TestSite.form], body: body)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request", "\(path)")
            }
        }
    }
}
