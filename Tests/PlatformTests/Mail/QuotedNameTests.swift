import Platform
import Testing

@Suite struct `A name that a member chose` {
    @Test(arguments: [
        ("Acme", "Acme"), ("Green Orchard GmbH & Co. KG", "Green Orchard GmbH & Co. KG"), ("Acme.io", "Acme"),
        ("Dr. Ada Lovelace", "Dr. Ada Lovelace"), ("J.R.R. Tolkien", "J.R.R. Tolkien"), ("陈 的团队", "陈 的团队"),
        ("Zoe\u{308} & J.E\u{301}. Tolkien", "Zoe\u{308} & J.E\u{301}. Tolkien"),
    ]) func `is repeated as it is, but for what mail readers make a link of`(name: String, quoted: String) {
        #expect(QuotedName(name).description == quoted)
    }

    @Test(arguments: [
        "Win at https://evil.example/now", "www.evil.example", "evil.example/win", "mail win@evil.example",
        "evil。example", "claim it at a.b.evil.example", "a.b.c.evil.example.", "x。y.evil.example",
        "HTTP://EVIL.EXAMPLE", "evil\u{200B}.example\u{202E}", "a\r\nBcc: x@evil.example", "evil.\u{FE0F}example",
        "evil.\u{34F}example", "https:\u{FE0F}/\u{FE0F}/\u{FE0F}evil.\u{FE0F}example",
        "win\u{FE0F}@\u{34F}evil\u{34F}.example", "w\u{34F}w\u{FE0F}w.\u{FE0F}evil", "evil．\u{FE0F}example",
        "evil\u{AD}.\u{2060}ex\u{AD}ample", "win＠evil．example", "evil\u{3164}.\u{115F}example", "evil.\u{301}example",
        "Ｗww.evil", "evil.e\u{301}xample",
    ]) func `S10, V47: carries no address`(name: String) {
        let quoted = QuotedName(name).description
        for part in ["://", "@", "/", ".example", "。", "www.", "＠", "xample", "\n", "\r", "\u{202E}", "\u{200B}"] {
            let scalars = Array(quoted.lowercased().unicodeScalars)
            let wanted = Array(part.unicodeScalars)
            let isThere = scalars.indices.contains { scalars[$0...].starts(with: wanted) }
            #expect(!isThere, "\(quoted)")
        }
        #expect(!quoted.unicodeScalars.contains { $0.properties.isDefaultIgnorableCodePoint })
        #expect(!quoted.isEmpty)
    }

    @Test func `S10, V47: is short, and something is there in any case`() {
        #expect(QuotedName(String(repeating: "win ", count: 100)).description.count <= 60)
        #expect(QuotedName("https://evil.example").description == "Pippin")
        #expect(QuotedName("").description == "Pippin")
    }
}
