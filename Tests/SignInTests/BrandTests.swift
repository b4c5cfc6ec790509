import Bytes
import Crypto
import Domain
import Testing
import Web

@testable import SignIn
@testable import TestTeams

/// A team's own look: its name, logo, accent and links.
@Suite struct BrandTests {
    @Test(arguments: [
        "#000000", "#ffffff", "#ffff00", "#17694a", "#ff0000", "#00ff00", "#0000ff", "#808080", "#0a84ff",
        "#f5f5dc", "#123456", "#fedcba",
    ])
    func `whatever the colour, text in it and on it can be read in both themes`(hex: String) throws {
        let accent = Accent(try #require(AccentColour(rawValue: hex)))
        let light = accent.light
        let dark = accent.dark
        let white = AccentColour.white
        let surface = try #require(AccentColour(rawValue: "#1a1b19"))
        for (one, other) in [
            (light.accent, white), (light.accent, light.soft), (light.onAccent, light.accent),
            (light.onAccent, light.strong), (dark.accent, surface), (dark.accent, dark.soft),
            (dark.onAccent, dark.accent), (dark.onAccent, dark.strong),
        ] {
            #expect(one.contrast(with: other) >= 4.5, "\(one) on \(other)")
        }
    }

    @Test func `pages carry the accent as a style sheet that browsers may keep, and no other spelling of it`()
        async throws
    {
        try await withSite { site in
            try site.teams.admin(
                "UPDATE teams SET accent_colour = '#0a84ff' WHERE team_id = 'ACMETEAM01'"
            )
            let page = try site.ask("GET", Browser.authorize())
            #expect(page.body.contains("href=\"/accents/1/0a84ff.css\""))
            let sheet = try site.ask("GET", "/accents/1/0a84ff.css")
            #expect(sheet.status == 200 && sheet["Content-Type"] == "text/css; charset=utf-8")
            #expect(sheet["Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(sheet.body.contains("--accent:") && sheet.body.contains("prefers-color-scheme: dark"))
            for other in ["0A84FF.css", "0a84ff", "0a84f.css", "0a84fg.css", "+a84ff.css", "0a84ff.js"] {
                #expect(try site.ask("GET", "/accents/1/\(other)").status == 404, "\(other)")
            }
            let rival = try site.ask("GET", Browser.authorize().replacing("ACMETEAM01", with: "RIVALTEAM1"))
            #expect(!rival.body.contains("/accents/"))
        }
    }

    @Test func `pages carry the team's name, logo and links, and Rival's logo is none of Acme's`()
        async throws
    {
        try await withSite { site in
            let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
            let digest = Hex.encode(SHA256.hash(picture))
            try site.teams.admin(
                """
                UPDATE teams SET privacy_url = 'https://acme.example/privacy',
                    terms_url = 'https://acme.example/terms' WHERE team_id = 'ACMETEAM01'
                """
            )
            try site.teams.admin(
                """
                INSERT INTO team_logos (team_id, digest, media_type, octets)
                VALUES ('ACMETEAM01', $1, 'image/png', decode('89504e47', 'hex'))
                """,
                digest
            )
            let page = try site.ask("GET", Browser.authorize())
            #expect(page.body.contains("src=\"/t/ACMETEAM01/logo/\(digest)\""))
            #expect(page.body.contains("alt=\"Acme\""))
            #expect(page.body.contains("href=\"https://acme.example/privacy\""))
            #expect(page.body.contains("href=\"https://acme.example/terms\""))
            let logo = try site.ask("GET", "/t/ACMETEAM01/logo/\(digest)")
            #expect(logo.status == 200 && logo["Content-Type"] == "image/png")
            #expect(logo["Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(try site.ask("GET", "/t/RIVALTEAM1/logo/\(digest)").status == 404)
            #expect(try site.ask("GET", "/t/ACMETEAM01/logo/\(digest.dropLast())0").status == 404)
        }
    }
}
