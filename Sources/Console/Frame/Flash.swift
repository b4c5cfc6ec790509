import Bytes
import Domain
import HTTP
import Templates
import Web

/// One sentence about what was just done, shown once on the page that comes next.
///
/// It travels in a cookie of a minute, with a MAC bound to the browser, so that nobody else can put words there.
struct Flash: Sendable {
    enum Kind: String, Sendable {
        case good
        case warn
        case bad
    }

    let kind: Kind
    let words: Words

    static func good(_ wording: any Wording) -> Flash { Flash(kind: .good, words: wording.asWords) }
    static func warn(_ wording: any Wording) -> Flash { Flash(kind: .warn, words: wording.asWords) }
    static func bad(_ wording: any Wording) -> Flash { Flash(kind: .bad, words: wording.asWords) }

    static let fields = Fields<Flash>()
        .text("kind") { $0.kind.rawValue }
        .text("icon") { $0.kind == .good ? "circle-check" : "alert" }
        .words("text") { $0.words }
}

extension Flash {
    private static let life = Duration.seconds(60)
    /// A browser keeps cookies of 4 KiB; no sentence of ours comes near.
    private static let maximumLength = 1024

    /// What the browser brought, or nil when there is nothing or it is not ours.
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
            Self.cookieName(site.cookies),
            "\(kind.rawValue).\(encoded).\(mac)",
            maxAge: Self.life
        )
    }

    static func cookieName(_ names: CookieNames) -> String {
        names.session(of: .system) + "-flash"
    }

    private static func secret(_ kind: Kind, _ encoded: String, _ browser: String) -> String {
        "flash|\(browser)|\(kind.rawValue)|\(encoded)"
    }
}
