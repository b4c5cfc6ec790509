import Core
import Testing

@Suite struct `The language for a reader` {
    @Test(
        arguments: [
            (nil, nil, Language.english), (nil, "de", .german), (nil, "de-AT,en;q=0.5", .german),
            (nil, "fr-FR, ru;q=0.3, de;q=0.7", .german), (nil, "en;q=0.8, id;q=0.80", .english), (nil, "zh", .chinese),
            (nil, "zh-CN", .chinese), (nil, "zh-Hans", .chinese), (nil, "ZH-hans-SG;q=1.0", .chinese),
            (nil, "zh-TW", .chinese), (nil, "in-ID", .indonesian), (nil, "fr", .english), (nil, "*", .english),
            (nil, "*, en;q=0", .german), (nil, "ru;q=0, ru-RU", .english), (nil, "de;q=0.0, ru;q=0.001", .russian),
            ("ru", "de", .russian), ("fr ru", "de", .russian), ("fr xx", "de", .german), ("zh_CN", nil, .chinese),
            ("", "", .english),
        ] as [(String?, String?, Language)]) func `is what the app asks for, else the browser's heaviest`(
            uiLocales: String?, acceptLanguage: String?, expected: Language
        )
    { #expect(Language.negotiate(uiLocales: uiLocales, acceptLanguage: acceptLanguage) == expected) }

    @Test(arguments: [
        "de;q=2", "de;q=1.001", "de;q=-1", "de;q=", "de;q", "de;q=0.1234", "de;q=abc", "de;;;q=1;q=1", ";q=1", ",,,",
        "\u{0}", "💥,🍏;q=1", "=;=;=", "q=1", "-", "_", "de;q=1.x",
    ]) func `is English for garbage`(field: String) {
        #expect(Language.negotiate(uiLocales: field, acceptLanguage: field) == .english)
    }

    @Test func `is looked for in what a browser may send, not in all of a long field`() {
        let far = String(repeating: "fr,", count: 100_000) + "de"
        let near = "de," + String(repeating: "ru;q=0.1,", count: 100_000)

        #expect(Language.negotiate(uiLocales: nil, acceptLanguage: far) == .english)
        #expect(Language.negotiate(uiLocales: nil, acceptLanguage: near) == .german)
        #expect(
            Language.negotiate(uiLocales: "x" + String(repeating: "ж", count: 5000), acceptLanguage: nil) == .english)
    }

    @Test func `is one of those there are`() {
        #expect(Language.negotiate(uiLocales: "de", acceptLanguage: "ru", among: [.english, .russian]) == .russian)
        #expect(Language.negotiate(uiLocales: "de", acceptLanguage: nil, among: [.russian]) == .russian)
    }
}
