import Core
import HTTP
import Platform
import SignIn
import Templates

/// Message about the last change, shown once on the next page.
///
/// It is stored in a cookie for a minute, with a MAC bound to the browser, so that no one else can forge a message.
struct Flash: Sendable {
    enum Kind: String, Sendable {
        case good
        case warn
        case bad
    }

    let kind: Kind
    let words: LocalizedText

    static func good(_ wording: any LocalizedTextConvertible) -> Flash {
        Flash(kind: .good, words: wording.localizedText)
    }
    static func warn(_ wording: any LocalizedTextConvertible) -> Flash {
        Flash(kind: .warn, words: wording.localizedText)
    }
    static func bad(_ wording: any LocalizedTextConvertible) -> Flash {
        Flash(kind: .bad, words: wording.localizedText)
    }

    static let fields = Fields<Flash> {
        $0.text("kind") { $0.kind.rawValue }
        $0.text("icon") { $0.kind == .good ? "circle-check" : "alert" }
        $0.words("text") { $0.words }
    }
}

extension Flash {
    private static let life = Duration.seconds(60)
    /// Maximum length of the message in bytes: browsers store cookies of up to 4 KiB, and every message is far shorter.
    private static let maximumLength = 1024

    /// The message in a browser's cookie, or nil if there is no cookie or its MAC is invalid.
    static func read(_ cookie: String?, _ browser: String, _ site: Site) -> Flash? {
        guard let cookie, cookie.utf8.count <= 2048 else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])),
            site.formTokens.isValid(String(parts[2]), for: secret(kind, String(parts[1]), browser)),
            let bytes = Base64URL.decode(String(parts[1]))
        else { return nil }
        return Flash(kind: kind, words: .verbatim(String(decoding: bytes, as: UTF8.self)))
    }

    func cookie(for browser: String, _ site: Site) -> SetCookie {
        let encoded = Base64URL.encode(Array(site.text(words).utf8.prefix(Self.maximumLength)))
        let mac = site.formTokens.token(for: Self.secret(kind, encoded, browser))
        return site.cookies.cookie(
            Self.cookieName(site.cookies), "\(kind.rawValue).\(encoded).\(mac)", maxAge: Self.life)
    }

    static func cookieName(_ names: CookieNames) -> String { names.session(of: .system) + "-flash" }

    private static func secret(_ kind: Kind, _ encoded: String, _ browser: String) -> String {
        "flash|\(browser)|\(kind.rawValue)|\(encoded)"
    }
}
