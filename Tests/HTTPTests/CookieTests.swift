import Testing

@testable import HTTP

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
