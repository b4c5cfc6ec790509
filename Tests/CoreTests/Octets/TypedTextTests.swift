import Core
import Testing

@Suite struct `Text as people type it` {
    /// Marks that nobody sees and blanks, as they come with what was pasted.
    static let unseen = [
        " ", "\t", "\n", "\r\n", "\u{A0}", "\u{202F}", "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{2060}", "\u{200E}",
        "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{AD}",
        "\u{180E}", "\u{61C}",
    ]

    @Test(arguments: unseen) func `loses what nobody sees around it`(mark: String) {
        for text in [mark + "ada", "ada" + mark, mark + mark + "ada" + mark] {
            #expect(text.typedCode.isExactly("ada") && text.typedLine.isExactly("ada") && text.folded.isExactly("ada"))
            #expect(text.typedOneTimeCode.isExactly("ada"))
        }
    }

    @Test(arguments: [
        ("ａｄａ＠ａｃｍｅ．ｅｘａｍｐｌｅ", "ada@acme.example"), ("a\u{200B}da", "ada"), ("ﬁ", "fi"), ("１２３", "123"),
        // Another letter stays another letter.
        ("\u{430}da", "\u{430}da"), ("plain text", "plain text"), ("", ""), ("a\u{308}", "ä"),
    ]) func `has one width and shape as code`(text: String, code: String) { #expect(text.typedCode.isExactly(code)) }

    @Test(arguments: [
        ("123456", "123456"), ("123 456", "123456"), ("123-456", "123456"), ("１２３４５６", "123456"), ("١٢٣٤٥٦", "123456"),
        ("۱۲۳۴۵۶", "123456"), ("१२३४५६", "123456"), ("123\u{A0}456", "123456"), ("123\u{202F}456", "123456"),
        ("\t123456\r\n", "123456"), ("123\u{2013}456", "123456"), ("123\u{2212}456", "123456"),
        ("123\u{200B}456", "123456"), ("ABCDE-fgh23", "abcdefgh23"),
    ]) func `is a one-time code in any digits and groups`(text: String, code: String) {
        #expect(text.typedOneTimeCode.isExactly(code))
    }

    @Test(arguments: [
        ("Nguyễn", "Nguye\u{302}\u{303}n"), ("김", "\u{1100}\u{1175}\u{11B7}"), ("Wida", "Ｗｉｄａ"), ("王小明", "王 小明"),
        ("ZOË", "zoe"), ("Straße", "STRASSE"), ("Đặng", "dang"), ("Søren Łukasz", "soren lukasz"),
        ("O’Brien", "o'brien"), ("Ἀθηνᾶ", "αθηνα"), ("ﾔﾏﾀﾞ", "ヤマダ"), ("Ada\u{A0} Love", "ada love"), ("İpek", "ipek"),
        ("Ångström", "angstrom"),
    ]) func `is the same for search however it is spelled`(one: String, other: String) {
        #expect(one.folded.isExactly(other.folded), "\(one.folded) \(other.folded)")
    }

    @Test(arguments: [("王明", "王小明"), ("ada", "adam"), ("\u{430}da", "ada"), ("김준", "김민준")])
    func `of others stays another`(one: String, other: String) { #expect(!one.folded.isExactly(other.folded)) }

    @Test func `keeps what words and emoji are spelled with`() {
        for text in [
            "می\u{200C}خواهم", "👩‍👩‍👧", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "葛\u{E0100}城", "Ｗｉｄａ",
        ] { #expect(text.typedLine.isExactly(text)) }
    }

    @Test func `is not normalized where marks that were apart stand together`() {
        for mark in ["\u{200B}", "\u{AD}"] {
            let run = String(repeating: String(repeating: "\u{301}", count: 30) + mark, count: 200)
            #expect(("a" + run).isStreamSafe)
            #expect(("a" + run).typedCode.isExactly("a" + run) && !("a" + run).typedLine.isStreamSafe)
        }
        #expect(!("a" + String(repeating: "\u{FF9E}", count: 31)).isStreamSafe)
    }

    @Test func `is found from each of its words on`() {
        #expect("Jan van der Berg".searchTerms == ["jan van der berg", "van der berg", "der berg", "berg"])
        #expect("com.acme.web".searchTerms == ["com.acme.web", "acme.web", "web"])
        #expect(String(repeating: "a ", count: 100).searchTerms.count == 8)
        #expect("\u{200B} ".searchTerms.isEmpty)
    }
}
