import Bytes
public import HTTP
public import Localization

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
}
