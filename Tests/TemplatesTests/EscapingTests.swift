import Templates
import Testing

@Suite struct `A hostile text` {
    static let script = "<script>alert(\"x\")</script> & 'y'"
    static let escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;"

    @Test(arguments: [
        ("<p>{{name}}</p>", "<p>\(escaped)</p>"), ("<title>{{name}}</title>", "<title>\(escaped)</title>"),
        ("<textarea>{{name}}</textarea>", "<textarea>\(escaped)</textarea>"),
        ("<script>let a = '<b>'</script>{{name}}", "<script>let a = '<b>'</script>\(escaped)"),
        ("<!-- <b \" -->{{name}}", "<!-- <b \" -->\(escaped)"), ("<!-->{{name}}", "<!-->\(escaped)"),
        ("<!doctype html>{{name}}", "<!doctype html>\(escaped)"), ("1 < 2 {{name}}", "1 < 2 \(escaped)"),
        ("<input value=\"{{name}}\">", "<input value=\"\(escaped)\">"),
        ("<input value='{{name}}'>", "<input value='\(escaped)'>"),
        ("<input value = \"a>b {{name}}\">", "<input value = \"a>b \(escaped)\">"),
        ("<h2>{{name}}</h2>", "<h2>\(escaped)</h2>"),
        ("<meta name=\"d\" content=\"{{name}}\">", "<meta name=\"d\" content=\"\(escaped)\">"),
        ("<div data-name=\"{{name}}\">", "<div data-name=\"\(escaped)\">"),
    ]) func `is escaped for where it stands`(template: String, expected: String) throws {
        #expect(try TeamPage(name: Self.script).rendered(template) == expected)
    }

    @Test(arguments: [
        ("Sign-ins", #"<span class="whole">Sign-ins</span>"#), ("One - two", "One - two"),
        ("The sign-in & <b>", #"The <span class="whole">sign-in</span> &amp; &lt;b&gt;"#),
        ("a-<b>-c", #"<span class="whole">a-&lt;b&gt;-c</span>"#), ("-", "-"), ("", ""), (" ", " "),
        ("ada-of-the-very-long-name@acme.example", "ada-of-the-very-long-name@acme.example"),
    ]) func `in a heading keeps words with a hyphen whole`(text: String, expected: String) throws {
        #expect(try TeamPage(name: text).rendered("<h1>{{name}}</h1>") == "<h1>\(expected)</h1>")
        #expect(try TeamPage(name: "Sign-ins").rendered("<h1>x</h1><p>{{name}}") == "<h1>x</h1><p>Sign-ins")
    }

    @Test(arguments: [
        ("/a?b=c&d='", "/a?b=c&amp;d=&#39;"), ("https://acme.example/x y", "https://acme.example/x y"),
        ("HTTP://acme.example", "HTTP://acme.example"), ("mailto:ada@acme.example", "mailto:ada@acme.example"),
        ("?a:b", "?a:b"), ("#a:b", "#a:b"), ("a/b:c", "a/b:c"), ("", ""), ("javascript:alert(1)", "#blocked"),
        ("JaVaScRiPt:alert(1)", "#blocked"), (" javascript:alert(1)", "#blocked"),
        ("\u{1}javascript:alert(1)", "#blocked"), ("java\nscript:alert(1)", "#blocked"),
        ("java\tscript:alert(1)", "#blocked"), ("javascript\u{0}:alert(1)", "#blocked"), ("https\n:x", "#blocked"),
        ("vbscript:x", "#blocked"), ("data:text/html,<script>", "#blocked"), ("myapp:x", "#blocked"),
        (":x", "#blocked"), ("javascript&colon;alert(1)", "javascript&amp;colon;alert(1)"),
        ("javascript&#58;alert(1)", "javascript&amp;#58;alert(1)"), ("\"onclick=x", "&quot;onclick=x"),
    ]) func `begins a URL only with a harmless scheme`(url: String, expected: String) throws {
        for attribute in [
            "href", "SRC", "action", "formaction", "poster", "cite", "data-href", "xlink:href", "data-next-url",
        ] {
            let text = try TeamPage(name: url).rendered("<a \(attribute)=\"{{name}}\">")
            #expect(text == "<a \(attribute)=\"\(expected)\">")
        }
        #expect(try TeamPage(name: url).rendered("<a href=\" {{name}}\">") == "<a href=\" \(expected)\">")
    }

    @Test(arguments: [
        ("<a href=\"/teams/{{name}}/x\">", "<a href=\"/teams/a%2F..%3F%26%22%3A%20%C3%A4-._~/x\">"),
        ("<a href=\"?q={{name}}\">", "<a href=\"?q=a%2F..%3F%26%22%3A%20%C3%A4-._~\">"),
        ("<a href=\"x{{name}}\">", "<a href=\"xa%2F..%3F%26%22%3A%20%C3%A4-._~\">"),
        ("<a href=\"{{count}}{{name}}\">", "<a href=\"0a%2F..%3F%26%22%3A%20%C3%A4-._~\">"),
        ("<script src=\"/{{name}}.js\"></script>", "<script src=\"/a%2F..%3F%26%22%3A%20%C3%A4-._~.js\"></script>"),
    ]) func `is a component inside a URL`(template: String, expected: String) throws {
        #expect(try TeamPage(name: "a/..?&\": ä-._~").rendered(template) == expected)
    }

    @Test func `cannot make a script of two harmless parts`() throws {
        let page = TeamPage(name: ":alert(1)", note: "javascript")

        #expect(try page.rendered("<a href=\"{{note}}{{name}}\">") == "<a href=\"javascript%3Aalert%281%29\">")
    }
}

@Suite struct `A vetted URL` {
    private let custom = TeamPage(next: SafeURL(literal: "myapp://back?code=1&state='2'"))

    @Test func `may have a scheme of its own`() throws {
        let escaped = "myapp://back?code=1&amp;state=&#39;2&#39;"

        #expect(try custom.rendered("<a href=\"{{next}}\">{{next}}</a>") == "<a href=\"\(escaped)\">\(escaped)</a>")
        #expect(try custom.rendered("<base href=\"{{next}}\">") == "<base href=\"\(escaped)\">")
    }

    @Test func `is what a refresh goes to`() throws {
        let text = try custom.rendered("<meta http-equiv=\"Refresh\" content=\"{{count}}; URL={{next}}\">")

        #expect(text == "<meta http-equiv=\"Refresh\" content=\"0; URL=myapp://back?code=1&amp;state=&#39;2&#39;\">")
    }

    @Test func `is a component inside another URL`() throws {
        #expect(try custom.rendered("<a href=\"/go?to={{next}}\">").hasPrefix("<a href=\"/go?to=myapp%3A%2F%2Fback%3F"))
    }

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT:x", "java\nscript:x", " javascript:x", "data:text/html,x", "vbscript:x",
        "'javascript:x", "a b", "\"", "<", "\\\\evil.example", "\u{7F}", "x\u{0}",
    ]) func `is never a script, nor text no URL holds`(text: String) { #expect(SafeURL(vetted: text) == nil) }

    @Test(arguments: ["/", "", "https://acme.example/ä?x=%20#y", "intent://x#Intent;scheme=a;end", "com.acme.app:/cb"])
    func `may be anything else`(text: String) { #expect(SafeURL(vetted: text)?.text == text) }
}
