import Testing

@testable import HTTP

/// What an `Accept` field asks for.
@Suite struct AcceptTests {
    @Test(arguments: [
        "text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "TEXT/HTML ; q=0.5",
        "application/json;q=0.5, text/html;level=1;q=0.5",
    ]) func `a browser gets a page`(field: String) { #expect(Accept(field).prefersPage) }

    @Test(arguments: [
        nil, "", "*/*", "text/*", "application/json", "text/html;q=0", "application/json, text/html;q=0.9",
        "text/html;q=2", "text/html;q=nan", ",,;q=1,\u{0}", "text/htmlx",
    ]) func `whatever does not ask for one reads JSON`(field: String?) { #expect(!Accept(field).prefersPage) }

    @Test func `V52: fields of a request cost no more than their octets, whatever characters they make`() throws {
        // Milliseconds, where n² is minutes.
        for text in ["\u{0315}\u{0301}", "\u{1F1E9}\u{1F1EA}", "a\u{200D}"] {
            let long = String(repeating: text, count: 16_000 / text.utf8.count)
            let split = String(repeating: text + ",", count: 16_000 / text.utf8.count)
            for value in [long, split, "text/html;" + long, "gzip;" + split] {
                for _ in 0..<5 {
                    _ = Accept(value)
                    _ = ContentCoding.accepted(by: value)
                    let proxies = TrustedProxies([try #require(AddressBlock("10.0.0.0/8"))])
                    let peer = try #require(IPAddress("10.0.0.1"))
                    #expect(proxies.client(behind: peer, forwardedFor: [value]) == peer)
                    _ = proxies.isSecure(behind: peer, forwardedProto: [value])
                }
            }
        }
    }
}
