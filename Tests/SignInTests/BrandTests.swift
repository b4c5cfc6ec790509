import Core
import Crypto
import EventLoop
import OAuth
import Platform
import Registry
import TestSupport
import Testing

@testable import HTTP
@testable import SignIn
@testable import TestTeams

/// A team's own look: its name, logo, accent and links.
@Suite struct BrandTests {
    @Test(arguments: [
        "#000000", "#ffffff", "#ffff00", "#17694a", "#ff0000", "#00ff00", "#0000ff", "#808080", "#0a84ff", "#f5f5dc",
        "#123456", "#fedcba",
    ]) func `whatever the colour, text in it and on it can be read in both themes`(hex: String) throws {
        let accent = Accent(try #require(AccentColour(rawValue: hex)))
        let light = accent.light
        let dark = accent.dark
        let white = AccentColour.white
        let surface = try #require(AccentColour(rawValue: "#1a1b19"))
        for (one, other) in [
            (light.accent, white), (light.accent, light.soft), (light.onAccent, light.fill),
            (light.onAccent, light.press), (light.strong, white), (dark.accent, surface), (dark.accent, dark.soft),
            (dark.strong, surface), (dark.onAccent, dark.fill), (dark.onAccent, dark.press),
        ] { #expect(one.contrast(with: other) >= 4.5, "\(one) on \(other)") }
        #expect(light.fill == accent.colour && dark.fill == accent.colour)
    }

    @Test(.site) func `pages carry the accent as a style sheet that browsers may keep, and no other spelling of it`()
        throws
    {
        try site.admin("UPDATE teams SET accent_colour = '#0a84ff' WHERE team_id = 'ACMETEAM01'")
        let page = try site.ask("GET", Browser.authorize())
        #expect(page.body.contains("href=\"/accents/2/0a84ff.css\""))
        let sheet = try site.ask("GET", "/accents/2/0a84ff.css")
        #expect(sheet.status == 200 && sheet["Content-Type"] == "text/css; charset=utf-8")
        #expect(sheet["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(sheet.body.contains("--accent:") && sheet.body.contains("prefers-color-scheme: dark"))
        for other in ["0A84FF.css", "0a84ff", "0a84f.css", "0a84fg.css", "+a84ff.css", "0a84ff.js"] {
            #expect(try site.ask("GET", "/accents/2/\(other)").status == 404, "\(other)")
        }
        let rival = try site.ask("GET", Browser.authorize().replacing("ACMETEAM01", with: "RIVALTEAM1"))
        #expect(!rival.body.contains("/accents/"))
    }

    @Test(.site) func `pages carry the team's name, logo and links, and Rival's logo is none of Acme's`() throws {
        let digest = try plantLogo(in: site.teams)
        try site.admin(
            """
            UPDATE teams SET privacy_url = 'https://acme.example/privacy',
                terms_url = 'https://acme.example/terms' WHERE team_id = 'ACMETEAM01'
            """)
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

    @Test(.site) func `V55: a logo is read once, however often strangers ask`() throws {
        let digest = try plantLogo(in: site.teams)
        #expect(try site.ask("GET", "/t/ACMETEAM01/logo/\(digest)").status == 200)
        // Another picture of the same name, which only whoever asks the table would get.
        try site.admin("UPDATE team_logos SET octets = decode('00', 'hex')")
        for _ in 0..<20 {
            let logo = try site.ask("GET", "/t/ACMETEAM01/logo/\(digest)")
            #expect(logo.status == 200 && logo["Content-Length"] == "4")
            #expect(logo["Content-Type"] == "image/png")
        }
        #expect(try site.ask("GET", "/t/RIVALTEAM1/logo/\(digest)").status == 404)
        #expect(try site.ask("GET", "/t/ACMETEAM01/logo/x").status == 404)
    }

    @Test(.site) func `V55: a closed team's logo is not found, whatever its rows still hold`() throws {
        let digest = try plantLogo(in: site.teams)
        #expect(try site.ask("GET", "/t/ACMETEAM01/logo/\(digest)").status == 200)
        try site.markDeleted(.acme)
        #expect(try site.ask("GET", "/t/ACMETEAM01/logo/\(digest)").status == 404)
    }

    @Test func `V55: a hundred who ask at once for a logo are sent one copy of it`() async throws {
        try await withTeams { teams in
            let digest = try plantLogo(in: teams)
            let endpoint = endpoint(of: teams)
            let answers = try await race(100) { _ in try await endpoint.answer(digest, of: .acme) }
            let copies = Set(answers.compactMap { $0.prepared.map { ObjectIdentifier($0) } })
            #expect(answers.count == 100 && answers.allSatisfy { $0.prepared != nil })
            #expect(copies.count == 1)
        }
    }

    @Test func `V55: a logo for which there is no room is an answer like any other`() async throws {
        try await withTeams { teams in
            let digest = try plantLogo(in: teams)
            let endpoint = endpoint(of: teams)
            let size = LogoCache.capacity - LogoCache.overhead
            let large = Response(body: [UInt8](repeating: 7, count: size))
            let name = LogoName(team: .rival, digest: "a")
            #expect(try endpoint.cache.keep(large, as: name, at: .max) != nil)
            let answers = try await race(10) { _ in try await endpoint.answer(digest, of: .acme) }
            for answer in answers { #expect(answer.prepared == nil && answer.body == [0x89, 0x50, 0x4E, 0x47]) }
        }
    }

    @Test func `V55: those who miss together share one reading of a logo`() async throws {
        let loop = try EventLoop(name: "logos")
        try loop.start()
        defer { loop.stop() }
        try await loop.run {
            let (cache, reading) = (LogoCache(loop: loop), Reading(until: 100))
            _ = try await race(100) { _ in
                reading.arrive()
                return try await cache.load(LogoName(team: .acme, digest: "a")) {
                    await reading.read()
                    return nil
                } == nil
            }
            #expect(reading.count == 1)
        }
    }

    @Test func `V55: kept logos take a bounded amount of memory, and leave singly when nobody reads them`() throws {
        let cache = LogoCache(loop: try EventLoop(name: "logos"))
        let picture = Response(body: [UInt8](repeating: 7, count: 256 * 1024))
        func name(_ number: Int) -> LogoName { LogoName(team: .acme, digest: String(number)) }
        var count = 0
        while try cache.keep(picture, as: name(count), at: Int64(count)) != nil { count += 1 }
        #expect(count == 31 && cache.octets <= LogoCache.capacity)

        // All of them may be on their way still, though the team has another logo by now.
        #expect(try cache.keep(picture, as: name(count), at: LogoCache.reading - 1) == nil)
        #expect(cache.find(name(0), at: LogoCache.reading - 1) != nil)
        // The second one was handed out for the last time two time-outs ago; the first one just now.
        let now = LogoCache.reading + 1
        #expect(try cache.keep(picture, as: name(count), at: now) != nil)
        #expect(cache.octets <= LogoCache.capacity)
        for number in 0...count { #expect((cache.find(name(number), at: now) != nil) == (number != 1), "\(number)") }
        #expect(try cache.keep(picture, as: name(1), at: now) == nil)
    }

    private func plantLogo(in teams: TestTeams) throws -> String {
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
        let digest = Hex.encode(SHA256.hash(picture))
        try teams.admin(
            """
            INSERT INTO team_logos (team_id, digest, media_type, octets)
            VALUES ('ACMETEAM01', $1, 'image/png', decode('89504e47', 'hex'))
            """, digest)
        return digest
    }

    private func endpoint(of teams: TestTeams) -> LogoEndpoint {
        LogoEndpoint(
            logos: TeamLogoStore(teams.database),
            teams: TeamCache(loop: teams.loop, database: teams.database, server: teams.server))
    }

    /// A reading that goes on until all have asked for it.
    // @unchecked Sendable: touched on one loop's thread alone.
    private final class Reading: @unchecked Sendable {
        private(set) var count = 0
        private var awaited: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(until count: Int) { awaited = count }

        func arrive() {
            awaited -= 1
            guard awaited == 0 else { return }
            for one in waiting { one.resume() }
            waiting = []
        }

        func read() async {
            count += 1
            if awaited > 0 { await withCheckedContinuation { waiting.append($0) } }
        }
    }
}
