import Core
import Crypto
import HTTP
import Platform
import SignIn
import Templates

/// Message about the last change, shown once on the next page.
///
/// It is stored in a cookie for a minute, sealed for the browser: no one else can forge a message, and those who see
/// the cookie learn no address from it.
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

    /// The message in a browser's cookie, or nil if there is none that was sealed for this browser.
    static func read(_ cookie: String?, _ browser: String, _ site: Site) -> Flash? {
        guard let cookie, cookie.utf8.count <= 2048, let sealed = Base64URL.decode(cookie),
            let opened = site.cookieSealer.open(sealed, context: ["flash", browser])
        else { return nil }
        let parts = String(decoding: opened, as: UTF8.self).split(separator: "|", maxSplits: 1)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
        return Flash(kind: kind, words: .verbatim(String(parts[1])))
    }

    func cookie(for browser: String, _ site: Site) -> SetCookie {
        let text = Array("\(kind.rawValue)|\(site.text(words))".utf8.prefix(Self.maximumLength))
        let sealed = site.cookieSealer.seal(text, context: ["flash", browser])
        return site.cookies.cookie(Self.cookieName(site.cookies), Base64URL.encode(sealed), maxAge: Self.life)
    }

    static func cookieName(_ names: CookieNames) -> String { names.session(of: .system) + "-flash" }
}
