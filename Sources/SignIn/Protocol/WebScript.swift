import Core
import HTTP
import OAuth
import Platform
import Registry

/// The script `AppleID.auth` for web pages of a team's apps: `Public/apple-id.js`, called with the team's values.
struct WebScript: Sendable {
    private let site: Site
    private let server: ServerContext

    init(site: Site, server: ServerContext) { (self.site, self.server) = (site, server) }

    /// The script with its texts in `language`.
    ///
    /// Any page may load it, because it contains nothing but what the sign-in page of the team shows.
    func respond(of team: TeamSnapshot, in language: Language) -> Response {
        Response(
            fields: [
                HeaderField(.contentType, "text/javascript; charset=utf-8"),
                HeaderField(.cacheControl, "public, max-age=300"), HeaderField(.vary, "Accept-Language"),
                HeaderField(.xContentTypeOptions, "nosniff"),
                HeaderField(HeaderName("Access-Control-Allow-Origin"), "*"),
                HeaderField(HeaderName("Cross-Origin-Resource-Policy"), "cross-origin"),
            ], body: site.webScript + Array("(".utf8) + values(of: team, in: language) + Array(");\n".utf8))
    }

    /// Whether `name` has the form of a locale in Apple's address of the script, such as `zh_CN`.
    static func isLocale(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        let isLetter = { (octet: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20) }
        return parts.count == 2 && parts.allSatisfy { $0.count == 2 && $0.allSatisfy(isLetter) }
    }

    private func values(of team: TeamSnapshot, in language: Language) -> [UInt8] {
        let isApple = team.identitySources == [.apple]
        var json = JSONWriter(capacity: 512)
        json.member("base", server.base(of: team.id))
        json.member("language", language.tag)
        json.member("isApple", isApple)
        if let logo = team.logoDigest { json.member("logo", site.publicURL + TeamRoutes.logo.link(team.id, logo)) }
        let source = isApple ? "Apple" : team.name
        json.member("signIn", site.text(Message("hosted.buttons.sign-in-with", ["source": source]), in: language))
        json.member("continue", site.text(Message("hosted.buttons.continue-with", ["source": source]), in: language))
        json.member("signUp", site.text(Message("hosted.buttons.sign-up-with", ["source": source]), in: language))
        return json.finish()
    }
}
