import Core
import Testing

/// RFC 3492; the labels are those of its section 7.1, in lower case.
@Suite struct `A label in Punycode` {
    @Test(arguments: [
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"), ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
        ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        ("세계의모든사람들이한국어를이해한다면얼마나좋을까", "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("porquénopuedensimplementehablarenespañol", "porqunopuedensimplementehablarenespaol-fmd56a"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"), ("bücher", "bcher-kva"), ("ü", "tda"), ("abc", "abc-"),
    ]) func `encodes and decodes`(label: String, coded: String) {
        #expect(Punycode.encode(label) == coded)
        #expect(Punycode.decode(coded) == label || coded.utf8.count > 63)
    }

    @Test func `refuses what is too long, and what is none`() {
        #expect(Punycode.encode(String(repeating: "ü", count: 64)) == nil)
        for text in [
            "a*", "ü", "-*", "99999999", "bcher-kv", String(repeating: "9", count: 63),
            String(repeating: "a", count: 64),
        ] { #expect(Punycode.decode(text) == nil, "\(text)") }
    }
}
