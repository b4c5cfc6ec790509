import Core
import Testing

@testable import HTTP

@Suite struct `Forms and media types` {
    @Test func `the first of several values is taken, and all can be asked for`() throws {
        let form = try Form("a=1&b=2&a=3&b=4".utf8)

        #expect(form["a"] == "1")
        #expect(form.values(of: "a") == ["1", "3"])
        #expect(form["c"] == nil)
    }

    @Test func `a form has a largest number of fields`() throws {
        let fields = (0..<129).map { "f\($0)=1" }.joined(separator: "&")

        #expect(throws: FormCoding.Failure.tooManyFields(limit: 128)) { try Form(fields.utf8) }
        #expect(try Form(fields.utf8, maximumFields: 129).fields.count == 129)
    }

    @Test func `query and body are read apart`() async throws {
        try await withServer {
            $0.post(Route("/form"), .form) { request in
                .text("\(try request.query()["a"] ?? "-") \(try request.form()["a"] ?? "-")")
            }
        } _: { server async throws in
            let head = "POST /form?a=query%20%2f HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n"
            let type = "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            let answer = try server.ask(head + type + "a=body")

            #expect(answer.body == "query / body")
        }
    }

    @Test func `a malformed form is the handler's to answer`() async throws {
        try await withServer(decorate: { refusal, _ in
            guard case .failed(let error) = refusal, error is FormCoding.Failure else { return refusal.response }
            return .text("bad form", status: .badRequest)
        }) {
            $0.post(Route("/form")) { request in .text(try request.form()["a"] ?? "-") }
        } _: { server async throws in
            let head = "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
            for body in ["a=%f", "a=%", "%zz=", "=%ff"] {
                let client = try server.client(sending: head + body.padding(to: 4))
                #expect(try client.readAnswer().status == 400)
            }
        }
    }

    private static func multipart(_ parts: String, ending: String = "--xx--\r\n") -> String {
        let body = parts.replacing("\n", with: "\r\n") + ending
        return "POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=xx\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let file = """
        --xx
        Content-Disposition: form-data; name="csrf"

        töken
        --xx
        Content-Disposition: form-data; name="logo"; filename="a.png"
        Content-Type: image/png

        \u{89}PNG--x

        """

    @Test func `files come apart from the other fields`() async throws {
        try await withServer {
            $0.post(Route("/file"), .upload(limit: 100)) { request in
                let upload = try #require(request.uploads.first)
                let text = String(decoding: upload.octets, as: UTF8.self)
                return .text("\(try request.form()["csrf"] ?? "-") \(upload.name) \(upload.fileName) \(text)")
            }
        } _: { server async throws in
            let answer = try server.ask(Self.multipart(Self.file))

            #expect(answer.body == "töken logo a.png \u{89}PNG--x")
        }
    }

    @Test func `a form with files that is cut off or not text is refused, and a long one too`() async throws {
        try await withServer {
            $0.post(Route("/file"), .upload(limit: 100)) { _ in .text("taken") }
        } _: { server async throws in
            let cut = Self.multipart(Self.file, ending: "")
            let noise = Self.multipart(String(repeating: "x", count: 300), ending: "")
            let long = Self.multipart(Self.file + String(repeating: "x", count: 20_000))

            #expect(try server.ask(cut).status == 400)
            #expect(try server.ask(noise).status == 400)
            #expect(try server.ask(long).status == 413)
            let plain = "POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx"
            #expect(try server.ask(plain).status == 415)
        }
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", true), ("APPLICATION/X-WWW-Form-URLEncoded ; charset=utf-8", true),
        (" application/x-www-form-urlencoded", true), ("application/x-www-form-urlencodedx", false),
        ("text/plain; application/x-www-form-urlencoded", false), ("", false), (";", false),
    ]) func `a media type is compared without its parameters`(text: String, isForm: Bool) {
        #expect(MediaType.form.matches(text) == isForm)
    }
}

extension String {
    fileprivate func padding(to length: Int) -> String { String(repeating: "&", count: length - utf8.count) + self }
}

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

@Suite struct `Cookies on the wire` {
    @Test func `the first of several is taken, and all can be asked for`() {
        let cookies = Cookies(["a=1; b=two ;a=3", "a=4"])

        #expect(cookies["a"] == "1")
        #expect(cookies["b"] == "two")
        #expect(cookies.values(named: "a") == ["1", "3", "4"])
        #expect(cookies["c"] == nil)
    }

    @Test func `quotes around a value are taken off, an equals sign in it stays`() {
        let cookies = Cookies([#"q="x y"; e=a=b==; empty=; half="x"#])

        #expect(cookies["q"] == "x y")
        #expect(cookies["e"] == "a=b==")
        #expect(cookies["empty"] == "")
        #expect(cookies["half"] == "\"x")
    }

    @Test(arguments: ["", ";", "=", ";;;=;=;", "a", " ", "=x", "\u{1}=\u{2}", "a\t=\t1", "é=ü", "\"", "a=\""])
    func `garbage is skipped`(line: String) {
        let cookies = Cookies([line, "ok=1"])

        #expect(cookies["ok"] == "1")
        #expect(cookies["nothing"] == nil)
    }

    @Test func `a session cookie says what it must`() throws {
        let cookie = try SetCookie("__Host-pippin-ACME", "abc-_~", maxAge: .seconds(60))

        #expect(cookie.text == "__Host-pippin-ACME=abc-_~; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    }

    @Test func `forgetting sets an age of zero`() throws {
        #expect(try SetCookie.forget("a", isSecure: false).text == "a=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
    }

    @Test func `nothing can be smuggled into a cookie`() {
        #expect(throws: SetCookie.Failure.value) { try SetCookie("a", "1; Domain=evil.example") }
        #expect(throws: SetCookie.Failure.value) { try SetCookie("a", "1\r\nX: y") }
        #expect(throws: SetCookie.Failure.value) { try SetCookie("a", "é") }
        #expect(throws: SetCookie.Failure.name) { try SetCookie("a b", "1") }
        #expect(throws: SetCookie.Failure.name) { try SetCookie("", "1") }
        #expect(throws: SetCookie.Failure.attribute) { try SetCookie("a", "1", path: "/;x") }
        #expect(throws: SetCookie.Failure.attribute) { try SetCookie("a", "1", domain: "x\n") }
    }
}
