import Core
import Crypto
import HTTP
import Platform
import Testing

@testable import SignIn
@testable import TestTeams

/// Walks every address of a team that takes a form, so that none can be forgotten.
@Suite(.site) struct FormWallTests {
    @Test func `every form of a page wants the token of its browser, and comes from this site`() throws {
        let browser = try site.consented()
        let start = try #require(try browser.get(Browser.authorize())["Location"])
        let csrf = try #require(try browser.get(start).value(of: "csrf"))
        let foreign = try #require(try site.browser().get(Browser.authorize()).value(of: "csrf"))
        let tokens = [nil, "", foreign, csrf + "A", String(csrf.dropLast()), csrf.lowercased() + "!"]
        let origins = [
            "Origin: https://evil.example", "Origin: null", "Origin: http://pippin.example",
            "Origin: https://pippin.example.evil.example", "Origin: https://pippin.example:8443",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ]
        let spoilt: [(token: String?, fields: [String])] =
            tokens.map { ($0, TestSite.ownOrigin) } + origins.map { (csrf, [$0]) }
        let forms = site.posts.filter { !Self.isBare($0) }
        #expect(forms.count >= 25)
        for pattern in forms {
            let path = Self.path(pattern, interaction: start)
            for (token, fields) in spoilt {
                let form = token.map { [("csrf", $0)] } ?? []
                let answer = try browser.post(path, form + [("decision", "continue")], fields)
                #expect(answer.status == 403, "\(path) \(token ?? "none") \(fields): \(answer.status)")
            }
        }
        #expect(try browser.get(Browser.account).status == 200)
        let refused = try browser.post(start + "/confirmation", [("csrf", foreign), ("decision", "continue")])
        #expect(refused.headline == "This form has expired" && refused.target == nil)
        // Old browsers say nothing of where a form comes from.
        let exit = try browser.post(start + "/confirmation", [("csrf", csrf), ("decision", "continue")], [])
        #expect(exit.target != nil)
    }

    @Test func `only these take a form without one`() throws {
        let bare = site.posts.filter(Self.isBare)
        let names = Set(bare.map { $0.replacing("/t/:team/auth/", with: "") })
        #expect(
            names == [
                "authorize", "token", "revoke", "introspect", "userinfo", "sign-out", "credential-state",
                "delete-account", "usermigrationinfo", "native", "callback/apple", "notifications/apple",
            ])
    }

    /// Whether a form comes from elsewhere: an app, or Apple.
    private static func isBare(_ pattern: String) -> Bool {
        TeamRoutes.isProtocol(pattern) || [TeamRoutes.authorize.text, TeamRoutes.appleCallback.text].contains(pattern)
    }

    private static func path(_ pattern: String, interaction: String) -> String {
        let nobody = Base64URL.encode([UInt8](repeating: 7, count: SHA256.byteCount))
        let names = [
            ":team": "ACMETEAM01", ":interaction": String(interaction.split(separator: "/").last ?? ""),
            ":app": "com.acme.app", ":token": nobody, ":session": nobody, ":passkey": nobody,
        ]
        return pattern.split(separator: "/").reduce("") { path, segment in
            "\(path)/\(names[String(segment)] ?? String(segment))"
        }
    }
}
