import Core
import Templates
import TestSupport
import Testing

@Suite struct `A text of the catalogue in a page` {
    @Test func `stands where its tag stands`() throws {
        let page = try TextPage().rendered("<h1>{{t \"a.b.title\"}}</h1>", ["en/a/b": "title = Users & 1 < 2"])

        #expect(page == "<h1>Users &amp; 1 &lt; 2</h1>")
    }

    @Test func `is escaped in an attribute, its arguments too`() throws {
        let page = try TextPage(name: "\"><b>").rendered(
            "<p title=\"{{t \"a.b.x\" who=name}}\">", ["en/a/b": "x = Say \"hi\" to {who}"])

        #expect(page == "<p title=\"Say &quot;hi&quot; to &quot;&gt;&lt;b&gt;\">")
    }

    @Test func `takes the form of its number, written as the language groups digits`() throws {
        let files = [
            "en/a/b": "x[one] = {count} person\nx[other] = {count} people",
            "ru/a/b": "x[one] = {count} человек\nx[few] = {count} человека\nx[many] = {count} человек",
            "zh-Hans/a/b": "x = {count} 人",
        ]
        let tag = "{{t \"a.b.x\" count=count}}."

        #expect(try TextPage(count: 1).rendered(tag, files) == "1 person.")
        #expect(try TextPage(count: 12_345).rendered(tag, files) == "12,345 people.")
        #expect(try Worldly(count: 1002, language: .russian).rendered(tag, files) == "1\u{A0}002 человека.")
        #expect(try Worldly(count: 11, language: .russian).rendered(tag, files) == "11 человек.")
        #expect(try Worldly(count: 5, language: .chinese).rendered(tag, files) == "5 人.")
        #expect(try Worldly(count: 0, language: .english).rendered(tag, files) == "0 people.")
    }

    @Test func `may hold emphasis and links whose addresses are arguments`() throws {
        let files = ["en/a/b": "x = <b>{who}</b> reads <code>a < b</code> in <a book>the book</a>."]

        let page = try TextPage(name: "<Ada>", next: "javascript:x").rendered(
            "{{t \"a.b.x\" who=name book=next}} {{t \"a.b.x\" who=\"A&B\" book=\"/x?a&b\"}}", files)

        let first = "<b>&lt;Ada&gt;</b> reads <code>a &lt; b</code> in <a href=\"#blocked\">the book</a>."
        let second = "<b>A&amp;B</b> reads <code>a &lt; b</code> in <a href=\"/x?a&amp;b\">the book</a>."
        #expect(page == "\(first) \(second)")
    }

    @Test func `has its moments in elements of their own, where elements may stand`() throws {
        let files = ["en/a/b": "x = Since {when} <&", "ru/a/b": "x = С {when} <&", "zh-Hans/a/b": "x = {when} 起 <&"]
        let moment = Timestamp(seconds: 1_795_433_340)
        let page = Worldly(said: Message("a.b.x", ["when": moment]))
        let (iso, text) = ("2026-11-23T11:29:00Z", "23 Nov 2026, 11:29 UTC")
        let element = "<time datetime=\"\(iso)\" title=\"\(text)\">\(text)</time>"

        #expect(try page.rendered("<p>{{said}}</p>", files) == "<p>Since \(element) &lt;&amp;</p>")
        #expect(try page.rendered("<h1>{{said}}</h1>", files) == "<h1>Since \(element) &lt;&amp;</h1>")
        #expect(try page.rendered("<p title=\"{{said}}\">", files) == "<p title=\"Since \(text) &lt;&amp;\">")
        #expect(try page.rendered("<title>{{said}}</title>", files) == "<title>Since \(text) &lt;&amp;</title>")
        #expect(try Worldly(said: moment).rendered("<p>{{said}}</p>", files) == "<p>\(element)</p>")
    }

    @Test func `may be known only when the page is written`() throws {
        let files = [
            "en/a/b": "x = Bye, {who}\nkind = the App ID", "ru/a/b": "x = Пока, {who}\nkind = App ID",
            "zh-Hans/a/b": "x = 再见{who}\nkind = App ID",
        ]
        let said = Message(
            "a.b.x", ["who": [Message("a.b.kind").localizedText, "<1>".localizedText, 5000.localizedText]])

        let page = try Worldly(language: .russian, said: said).rendered(
            "<p title=\"{{said}}\">{{#if unsaid}}{{unsaid}}{{/if}}", files)

        #expect(page == "<p title=\"Пока, App ID, &lt;1&gt; и 5\u{A0}000\">")
    }

    @Test(arguments: [
        (
            "{{t \"a.b.gone\"}}",
            "1:3: found the text `a.b.gone`, which no file has, expected a line in Texts/en/a/b.txt"
        ), ("{{t \"a.b.who\"}}", "1:3: found the text `a.b.who` without its argument `who`, expected `who=path`"),
        (
            "{{t \"a.b.x\" who=name}}",
            "1:13: found the argument `who`, which `a.b.x` has no placeholder for, expected no argument"
        ), ("{{t \"a.b.n\"}}", "1:3: found the text `a.b.n` without its argument `count`, expected `count=path`"),
        ("{{t \"a.b.n\" count=name}}", "1:19: found `name`, which is a text, expected a number"),
        (
            "<p title=\"{{t \"a.b.m\"}}\">",
            "1:13: found the text `a.b.m`, which has markup, in the attribute `title` of `<p>`, expected it in text"
        ), ("<a href=\"{{t \"a.b.x\"}}\">", "1:12: found words in a URL: the text `a.b.x`, expected a value there"),
        (
            "<p {{t \"a.b.x\"}}>",
            "1:6: found a value among the attributes of `<p>`: the text `a.b.x`, expected values only in text and in quoted attributes"
        ), ("{{t a.b.x}}", "1:5: found `a.b.x`, expected a name in quotes: `{{t \"area.room.key\"}}`"),
        ("{{t \"a.b.who\" who}}", "1:15: found `who`, expected an argument, `name=path`"),
        ("{{t \"a.b.who\" who=name who=name}}", "1:24: found `who=` twice, expected each argument once"),
    ]) func `that does not fit says where`(template: String, expected: String) {
        let files = ["en/a/b": "x = X\nwho = {who}\nn = {count}\nm = <b>M</b>"]

        let error = #expect(throws: Diagnostics.self) { try TextPage().rendered(template, files) }

        #expect(error?.all.map(\.description) == ["page.html:" + expected])
    }

    @Test func `must be there in every language of the page`() {
        let files = ["en/a/b": "x = X", "ru/a/b": "x = X"]

        let error = #expect(throws: Diagnostics.self) { try Worldly().rendered("{{t \"a.b.x\"}}", files) }

        let expected = "found the text `a.b.x`, which zh-Hans lacks, expected a line in Texts/zh-Hans/a/b.txt"
        #expect(error?.all.map(\.description) == ["page.html:1:3: " + expected])
    }

    @Test func `is shown anew when its file was edited`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{{t \"a.x\"}}", to: "page.html")
        try folder.write("x = one", to: "en/a.txt")
        let clock = ReloadingClock()
        let pages = try Pages(folder: folder.path, texts: folder.path, isWatching: true, now: { clock.now })
        let page = try pages.page(TextPage.self)

        try folder.write("x = two", to: "en/a.txt")
        clock.pass(.seconds(1))
        #expect(page.current().text(of: TextPage()) == "two")
        #expect(pages.texts.text(Message("a.x")) == "two")

        try folder.write("x = {", to: "en/a.txt")
        clock.pass(.seconds(1))
        #expect(page.current().text(of: TextPage()) == "two")
        #expect(page.diagnostics()?.all.map(\.location.description) == ["Texts/en/a.txt:1:5"])
    }
}
