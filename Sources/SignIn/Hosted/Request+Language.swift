public import Bytes
public import HTTP

extension Request {
    /// The language of a page that no sign-in chose one for.
    public var language: Language { language(asked: nil) }

    /// The language somebody reads: what the app asks for goes before what the browser says.
    ///
    /// - Parameter uiLocales: language tags in the order of preference, joined by spaces (OpenID Connect Core section
    ///   3.1.2.1); Apple's `locale` is one of them.
    func language(asked uiLocales: String?) -> Language {
        Language.negotiate(uiLocales: uiLocales, acceptLanguage: self[.acceptLanguage])
    }
}
