import Core
import Platform
import TestSupport
import Testing

@testable import TestTeams

/// Requests nobody means well with, at every address of a team; security cases V3 and V33.
@Suite(.site) struct SpoiltRequestTests {
    @Test func `V33: noise in Authorization, Cookie and forms is never an error of ours`() throws {
        var noise = Garbage(seed: 20)
        let type = TestSite.form
        let posts = site.posts.map {
            $0.replacing(":team", with: "ACMETEAM01").replacing(":interaction", with: "0AAAAAAAAAAAAAAAAAAAAAA")
        }
        for round in 0..<300 {
            let (header, body) = (noise.text(0x20...0x7E), noise.text(0...0x7F))
            let cookie = "Cookie: \(Browser.browserCookie)=\(noise.text(0x21...0x7E)); \(header)"
            let fields = [type, "Authorization: Bearer \(header)", cookie]
            let pairs = "client_id=com.acme.web&client_secret=\(PercentCoding.encode(body))&token=\(body)"
            let path = posts[round % posts.count]
            let form = round.isMultiple(of: 2) ? body : pairs
            let answer = try site.ask("POST", path, fields, body: form)
            #expect((200..<500).contains(answer.status), "round \(round): \(path) \(answer.status)")
            let get = try site.ask("GET", path, fields)
            #expect((200..<500).contains(get.status), "round \(round): \(path) \(get.status)")
        }
    }

    @Test func `V33: whatever the cookie of known browsers holds, a right password signs in and it comes back clean`()
        throws
    {
        let name = Browser.sessionCookie + "-known"
        var noise = Garbage(seed: 33)
        var values = ["a b\"c", "a,b", "a\\b", "ä", "ab==", String(repeating: "x.", count: 60)]
        for _ in 0..<10 { values.append(noise.text(0x21...0x7E).replacing(";", with: "")) }
        for value in values {
            let browser = site.browser()
            let page = try browser.get(Browser.authorize())
            browser.keep(name, value)
            let form = [("email", "ada@acme.example"), ("password", People.password)]
            #expect(try browser.send(page, form).status == 303)
            let known = try #require(browser.cookies[name])
            #expect(Base64URL.decode(known)?.count == 36, "\(value)")
        }
    }
}

extension Garbage {
    /// Text of octets that a header field may hold, or of any.
    fileprivate mutating func text(_ octets: ClosedRange<UInt8>) -> String {
        let count = Int.random(in: 0...300, using: &self)
        let bytes = (0..<count).map { _ in UInt8.random(in: octets, using: &self) }
        return String(decoding: bytes, as: Unicode.ASCII.self)
    }
}
