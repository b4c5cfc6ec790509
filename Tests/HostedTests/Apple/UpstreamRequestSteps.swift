import Bytes
import Domain
import EventLoop
import Federation
import HTTP
import Simulator
import Testing

@testable import Hosted
@testable import TestTeams

/// Lends `body` a site whose team Acme is registered at Apple's stand-in, with its people there.
func withApple(
    sources: String = "{directory,apple}", limits: InteractionLimits = InteractionLimits(), speedup: Int = 1,
    _ body: (TestSite) async throws -> Void
) async throws {
    try await withSite(limits: limits, speedup: speedup, isAtApple: true) { site in
        let teams = site.teams
        try await teams.loop.run {
            try teams.setSources(sources)
            try await Cast(teams.database).admit(to: .appleSide)
        }
        try await body(site)
    }
}

extension Script.Delays {
    static func hastened(_ speedup: Int) -> Self {
        var delays = Self()
        (delays.slow, delays.silent) = (delays.slow / speedup, delays.silent / speedup)
        return delays
    }
}

extension AppleService.Timeouts {
    static func hastened(_ speedup: Int) -> Self {
        var timeout = Self()
        (timeout.calls, timeout.keys) = (timeout.calls / speedup, timeout.keys / speedup)
        return timeout
    }
}

// A browser on its way over Apple.
extension Browser {
    static let callback = "/t/ACMETEAM01/auth/callback/apple"

    /// From the app to Apple's list of people.
    func goToApple(_ changes: [String: String?] = Browser.everything) throws -> Answer {
        let page = try get(Self.authorize(changes))
        return page.status == 302 ? try arriveAtApple(page) : try goOnToApple(try #require(page.link("/apple")))
    }

    /// From a link of ours to Apple's list of people.
    func goOnToApple(_ link: String) throws -> Answer { try arriveAtApple(try get(link)) }

    private func arriveAtApple(_ away: Answer) throws -> Answer {
        let url = try #require(away["Location"])
        #expect(away.status == 302 && url.hasPrefix("http://127.0.0.1:\(port)/apple/auth/authorize?"))
        return try get(String(url.dropFirst("http://127.0.0.1:\(port)".utf8.count)))
    }

    /// Decides at Apple, and takes Apple's answer as far as our page that posts it.
    func choose(_ performer: Performer, on page: Answer) throws -> Answer {
        try post(try #require(page.action), [("person", performer.rawValue)], [])
    }

    /// Posts Apple's answer as a browser does: from another site, so without cookies.
    ///
    /// - Parameter changes: fields that come otherwise than Apple sent them; nil for those that do not come.
    /// - Returns: the address where the browser goes on.
    func postBack(_ exit: Answer, changing changes: [String: String?] = [:], to port: UInt16) throws -> String {
        let fields = ["code", "id_token", "user", "state", "error"].compactMap { name in
            (changes[name] ?? exit.value(of: name)).map { (name: name, value: $0) }
        }
        let answer = try Exchange(
            port: port, "POST", Self.callback,
            ["Content-Type: application/x-www-form-urlencoded", "Origin: https://appleid.apple.com"],
            body: FormCoding.encode(fields)
        ).answer()
        #expect(answer.status == 303 && answer["Set-Cookie"] == nil)
        return try #require(answer["Location"])
    }

    /// The whole way, from the app to the app.
    func signInAtApple(_ performer: Performer, _ changes: [String: String?] = Browser.everything) throws -> Answer {
        try get(try postBack(try choose(performer, on: try goToApple(changes)), to: port))
    }
}

extension Answer {
    /// The first link whose address ends so.
    func link(_ end: String) -> String? {
        body.split(separator: "href=\"").dropFirst().compactMap {
            $0.split(separator: "\"", maxSplits: 1).first.map(String.init)
        }.first { $0.hasSuffix(end) }
    }
}
