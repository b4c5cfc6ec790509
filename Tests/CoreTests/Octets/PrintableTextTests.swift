import Core
import Testing

@Suite struct `Text for a terminal` {
    @Test(arguments: [
        ("\u{1B}]0;owned\u{7}Ada", "\u{FFFD}]0;owned\u{FFFD}Ada"),
        ("Ada\r\nteam EVIL000001", "Ada\u{FFFD}\u{FFFD}team EVIL000001"), ("\u{9B}31m", "\u{FFFD}31m"),
        ("\u{7F}\u{0}\t", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("gpj.\u{202E}evil\u{2066}\u{2028}", "gpj.\u{FFFD}evil\u{FFFD}\u{FFFD}"),
    ]) func `S42: what a terminal obeys is replaced in a line`(text: String, harmless: String) {
        #expect(PrintableText.line(text) == harmless)
    }

    @Test(arguments: ["Ada Lovelace", "Zoë", "李白", "Лев", "می‌خواهم", "👩‍👩‍👧", "a\u{AD}b"])
    func `S42: names stay as they are spelled`(name: String) {
        #expect(PrintableText.line(name) == name)
        #expect(PrintableText.page("\(name)\n\(name)\n") == "\(name)\n\(name)\n")
    }

    @Test func `S42: a page keeps its line breaks alone`() {
        #expect(PrintableText.page("one\ntwo\r\u{1B}[2J\n") == "one\ntwo\u{FFFD}\u{FFFD}[2J\n")
    }
}
