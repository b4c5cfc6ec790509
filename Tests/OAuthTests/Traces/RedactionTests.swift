import Core
import Testing

@testable import Federation
@testable import OAuth

@Suite struct `What others send, as a trace keeps it` {
    @Test(arguments: [
        ("plain words", "plain words"), ("Zoë, 日本", "Zoë, 日本"), ("a\u{85}b\u{9B}31mc", "a\\u{85}b\\u{9B}31mc"),
        ("user\u{202E}drow\u{2066}\u{200F}", "user\\u{202E}drow\\u{2066}\\u{200F}"),
        ("one\u{2028}two\u{2029}three\nfour", "one\\u{2028}two\\u{2029}three\\nfour"), ("end\r\n", "end\\r\\n"),
        (" a b ", "\\u{20}a b\\u{20}"), ("a\u{A0}", "a\\u{A0}"), ("a\u{FEFF}b", "a\\u{FEFF}b"),
    ]) func `is one line that shows what nobody would see`(_ text: String, _ kept: String) {
        #expect(Redaction.text(text, limit: 100) == kept)
    }

    @Test(arguments: [
        ("access_denied", "access_denied"), ("invalid grant", "(13 octets)"), ("", "(0 octets)"),
        ("Invalid", "(7 octets)"), ("é", "(2 octets)"), (String(repeating: "a", count: 41), "(41 octets)"),
    ]) func `is a word of the protocol only in the shape of one`(_ text: String, _ kept: String) {
        #expect(TraceAttribute("error", code: text).value == kept)
    }

    @Test(arguments: [
        ("https://a.example/b?code=x&state=y#z=1", "https://a.example/b?code=…&state=…"),
        ("https://user:secret@a.example/b", "https://…@a.example/b"),
        ("https://user:sec@ret@a.example", "https://…@a.example"), ("//user:secret@a.example?x", "//…@a.example?…"),
        ("https://a.example/b;jsessionid=secret/c", "https://a.example/b;…"),
        ("https://a.example/b@c", "https://a.example/b@c"), ("mailto:a@b.example", "mailto:a@b.example"),
    ]) func `S4, V51: is an address without what may be a secret in it`(_ url: String, _ kept: String) {
        #expect(Redaction.url(url) == kept)
        #expect(url.withoutSecrets == kept.prefix { $0 != "?" })
    }

    @Test func `S4, V51: tells nothing before a host, however long it is`() {
        let url = "https://user:\(String(repeating: "x", count: 5000))@a.example/b"
        #expect(Redaction.url(url) == "https://…@a.example/b")
    }

    @Test func `repeats nothing of which a provider was told no more than the length`() {
        let code = "c0123456789abcdef.of.apple"
        let fields = [
            FormCoding.Field("client_id", "com.acme.web.of.some.length"), FormCoding.Field("code", code),
            FormCoding.Field("token", "a_token_of_small_letters"), FormCoding.Field("token_type_hint", "refresh_token"),
        ]
        let answers = [
            ("invalid_grant", "\(code) was used", "invalid_grant", "(withheld)"),
            ("a_token_of_small_letters", nil, "(withheld)", nil),
            ("invalid_client", "com.acme.web.of.some.length", "invalid_client", "com.acme.web.of.some.length"),
            ("invalid_grant", "no such refresh_token", "invalid_grant", "no such refresh_token"),
        ]
        for (error, description, keptError, keptDescription) in answers {
            let exchange = UpstreamExchange(
                of: "https://apple.example/token", fields,
                answer: .init(status: 400, error: error, errorDescription: description, fault: nil))
            func kept(_ name: String) -> String? { exchange.answered.first { $0.name == name }?.value }
            #expect(kept("error") == keptError)
            #expect(kept("error_description") == keptDescription)
        }
    }
}
