import Bytes
import Testing

@testable import HTTP

@Suite struct `Forms and media types` {
    @Test func `a repeated name is found`() throws {
        let form = try Form("a=1&b=2&a=3&b=4".utf8)

        #expect(form["a"] == "1")
        #expect(form.values(of: "a") == ["1", "3"])
        #expect(form.repeatedName == "a")
        #expect(try Form("a=1&b=2".utf8).repeatedName == nil)
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
        try await withServer(dress: { refusal, _ in
            guard case .failed(let error) = refusal, error is FormCoding.Failure else {
                return refusal.response
            }
            return .text("bad form", status: .badRequest)
        }) {
            $0.post(Route("/form")) { request in .text(try request.form()["a"] ?? "-") }
        } _: { server async throws in
            let head = "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
            for body in ["a=%f", "a=%", "%zz=", "=%ff"] {
                let client = try server.client()
                try client.send(head + body.padding(to: 4))
                #expect(try client.readAnswer().status == 400)
            }
        }
    }

    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", true),
            ("APPLICATION/X-WWW-Form-URLEncoded ; charset=utf-8", true),
            (" application/x-www-form-urlencoded", true), ("application/x-www-form-urlencodedx", false),
            ("text/plain; application/x-www-form-urlencoded", false), ("", false), (";", false),
        ]
    )
    func `a media type is compared without its parameters`(text: String, isForm: Bool) {
        #expect(MediaType.form.matches(text) == isForm)
    }
}

extension String {
    fileprivate func padding(to length: Int) -> String {
        String(repeating: "&", count: length - utf8.count) + self
    }
}
