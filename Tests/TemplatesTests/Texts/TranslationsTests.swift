import Core
import Templates
import TestSupport
import Testing

@Suite struct `The catalogue of texts` {
    @Test func `reads keys, comments and texts of several lines`() {
        let texts = Translations(files: [
            "en/console/users":
                "# People\ntitle = Users\n\nhelp = One line\n  and another\n# end\nflash.saved=Saved.\r\n"
        ])

        #expect(texts.keys(in: .english) == ["console.users.title", "console.users.help", "console.users.flash.saved"])
        #expect(texts.text(Message("console.users.help")) == "One line and another")
        #expect(texts.text(Message("console.users.flash.saved")) == "Saved.")
    }

    @Test func `puts arguments and numbers into a message, without its markup`() {
        let texts = Translations(files: [
            "de/a/b": "x[one] = <b>{name}</b>: {count} Mal\nx[other] = {name}: {count} Male"
        ])

        #expect(texts.text(Message("a.b.x", ["name": "<Ada>"], count: 1), in: .german) == "<Ada>: 1 Mal")
        #expect(texts.text(Message("a.b.x", ["name": 1000], count: 4321), in: .german) == "1.000: 4.321 Male")
    }

    @Test func `falls back to English, then to the key`() {
        let texts = Translations(files: ["en/a/b": "x = X"])

        #expect(texts.text(Message("a.b.x"), in: .russian) == "X")
        #expect(texts.text(Message("a.b.y"), in: .russian) == "a.b.y")
    }

    @Test(arguments: [
        ("x", "1:1: found a line without `=`, expected `key = text`, or an indented line"),
        ("x =", "1:1: found `x` without a text, expected a text after `=`"),
        ("  x = y", "1:3: found an indented line after no text, expected `key = text` before it"),
        ("x = y\nx = z", "2:1: found `x` again after line 1, expected each text once, or forms for different numbers"),
        (
            "x[one] = y\nx[one] = z\nx[other] = z",
            "2:1: found `x[one]` again after line 1, expected each text once, or forms for different numbers"
        ), ("x[one] = y", "1:1: found `x` without the form `[other]`, expected the forms of en: [one], [other]"),
        (
            "x[one] = y\nx[few] = y\nx[other] = y",
            "1:1: found the form `[few]` of `x`, which no whole number takes, expected the forms of en: [one], [other]"
        ),
        (
            "x[two] = y",
            "1:1: found the key `x[two]`, expected letters, digits, `-`, `_` and `.`, then `[one]`, `[few]`, `[many]` or `[other]` if numbers count"
        ), ("x = {y", "1:5: found `{` without `}` on its line, expected `{name}`"),
        ("x = y}", "1:6: found `}` without `{`, expected `{name}`"),
        ("x = {a b}", "1:5: found the placeholder `{a b}`, expected a name in braces: `{name}`"),
        ("x = <b>y", "1:5: found `<b>` that is never closed, expected `</b>`"),
        ("x = <b>y</em></b>", "1:9: found `</em>`, expected `</b>`"),
        (
            "x = <script>y",
            "1:5: found the tag `<script>`, expected `<b>`, `<strong>`, `<em>`, `<code>` or `<a name>`, whose address is an argument"
        ),
        (
            "x = <a href=\"x\">",
            "1:5: found the tag `<a href=\"x\">`, expected `<b>`, `<strong>`, `<em>`, `<code>` or `<a name>`, whose address is an argument"
        ),
    ]) func `says where a file is wrong`(file: String, expected: String) {
        let error = #expect(throws: Diagnostics.self) {
            try Translations(files: ["en/a/b": file]).check([TextArea("a", in: [.english])])
        }

        #expect(error?.all.map(\.description) == ["Texts/en/a/b.txt:" + expected])
    }

    @Test func `compares languages`() {
        let texts = Translations(files: [
            "en/a/b": "same = {who}\nlost = L\nmany[one] = 1\nmany[other] = 2\nonce = 1",
            "ru/a/b": "same = {name}\nmany = 2\nonce[one] = 1\nonce[few] = 1\nonce[many] = 1\nnew = N",
            "en/c/d": "x = X", "de/a/b": "same = {who}", "xx/a/b": "x = X",
        ])

        let error = #expect(throws: Diagnostics.self) { try texts.check([TextArea("a", in: [.english, .russian])]) }

        #expect(
            error?.all.map { "\($0.location): \($0.found)" } == [
                "Texts/xx/a/b.txt:1:1: a file of no language", "Texts/en/a/b.txt:2:1: `a.b.lost`, which ru lacks",
                "Texts/ru/a/b.txt:2:1: `a.b.many` without forms for numbers",
                "Texts/ru/a/b.txt:3:1: forms of `a.b.once` for numbers, which English does not count",
                "Texts/de/a/b.txt:1:1: `a.b.same` in de, which the area `a` does not have",
                "Texts/ru/a/b.txt:1:1: the placeholder `{name}` of `a.b.same`, which English does not have",
                "Texts/ru/a/b.txt:1:1: `a.b.same` without the placeholder `{who}`",
                "Texts/en/c/d.txt:1:1: `c.d.x`, whose area nothing shows",
                "Texts/ru/a/b.txt:6:1: `a.b.new`, which English lacks",
            ])
    }

    @Test func `reads garbage without a trap`() {
        var random = Garbage(seed: 7)
        let alphabet = Array("a.b=[one]{}<>/ \n\t#\u{0}é中".utf8)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let texts = Translations(files: ["en/a/b": String(decoding: bytes, as: UTF8.self)])
            for key in texts.keys(in: .english) { #expect(key.hasPrefix("a.b.")) }
        }
    }
}

@Suite struct `Numbers, dates and lists` {
    @Test func `are grouped as the language does`() {
        let million = Language.allCases.map { NumberText.text(-1_234_567, in: $0) }

        #expect(million == ["-1,234,567", "-1.234.567", "-1\u{A0}234\u{A0}567", "-1,234,567", "-1.234.567"])
        #expect(NumberText.text(999, in: .english) == "999")
        #expect(NumberText.text(.min, in: .english) == "-9,223,372,036,854,775,808")
    }

    @Test func `are dated in UTC`() {
        let moment = Timestamp(seconds: 1_795_433_340)

        #expect(
            Language.allCases.map { DateText.text(moment, in: $0) } == [
                "23 Nov 2026, 11:29 UTC", "23.11.2026, 11:29 UTC", "23 нояб. 2026 г., 11:29 UTC",
                "2026年11月23日 11:29 UTC", "23 Nov 2026, 11.29 UTC",
            ])
    }

    @Test func `are days where no time of day is told, written as in a date with one`() {
        let moment = Timestamp(seconds: 1_795_433_340)

        #expect(
            Language.allCases.map { Translations().text(LocalizedText.day(moment), in: $0) } == [
                "23 Nov 2026", "23.11.2026", "23 нояб. 2026 г.", "2026年11月23日", "23 Nov 2026",
            ])
    }

    @Test func `are joined`() {
        let texts = Translations()
        let names = ["a", "b", "c"]

        #expect(
            Language.allCases.map { texts.text(names, in: $0) } == [
                "a, b and c", "a, b und c", "a, b и c", "a、b和c", "a, b, dan c",
            ])
        #expect(texts.text(["a", "b"], in: .indonesian) == "a dan b")
        #expect(texts.text([String]()) == "")
    }

    @Test(arguments: [
        (0, "many"), (1, "one"), (2, "few"), (4, "few"), (5, "many"), (11, "many"), (12, "many"), (14, "many"),
        (21, "one"), (22, "few"), (100, "many"), (101, "one"), (111, "many"), (112, "many"), (1_000_000, "many"),
        (-1, "one"),
    ]) func `are counted in Russian by their last digits`(count: Int, form: String) {
        let texts = Translations(files: ["ru/a/b": "x[one] = one\nx[few] = few\nx[many] = many"])

        #expect(texts.text(Message("a.b.x", count: count), in: .russian) == form)
    }
}
