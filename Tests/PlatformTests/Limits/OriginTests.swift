import Core
import Platform
import Testing

@Suite struct OriginTests {
    /// A family is one character of 25 octets: 400 of them were 10,000 octets in a row of the audit log.
    @Test func `S43: a User-Agent is kept up to 400 octets, whatever it counts in characters`() {
        let sent = String(repeating: "👨‍👩‍👧‍👦", count: 400)
        let kept = Origin(ip: "192.0.2.1", userAgent: sent, requestID: "r").userAgent
        #expect((397...400).contains(kept.utf8.count) && sent.utf8.starts(with: kept.utf8))
        #expect(Origin(ip: "", userAgent: "curl/8.5", requestID: "").userAgent == "curl/8.5")
    }
}
