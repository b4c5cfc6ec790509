public import Core
public import HTTP

extension Request {
    /// Language of a page that belongs to no sign-in.
    public var language: Language { language(asked: nil) }

    /// Language of the user; the app's request takes precedence over the browser's preference.
    ///
    /// - Parameter uiLocales: language tags in the order of preference, joined by spaces (OpenID Connect Core section
    ///   3.1.2.1); Apple's `locale` is one of them.
    func language(asked uiLocales: String?) -> Language {
        Language.negotiate(uiLocales: uiLocales, acceptLanguage: self[.acceptLanguage])
    }

    /// Language tags to keep for the pages of a sign-in: the language of the pages, and before it one that the user
    /// prefers if its forms differ (`Language.putsFamilyNameFirst`).
    func languageTags(asked uiLocales: String? = nil) -> String {
        let language = language(asked: uiLocales).tag
        let preferred = uiLocales.flatMap { $0.isEmpty ? nil : $0 } ?? self[.acceptLanguage] ?? ""
        guard Language.putsFamilyNameFirst(preferred) else { return language }
        // The longest of them has three letters; what follows is the browser's to write.
        let letters = preferred.utf8.prefix(3).prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        return "\(String(decoding: letters, as: UTF8.self)) \(language)"
    }
}
