import Accounts
import Core
import EventLoop
import Federation
import Platform
import Simulator
import TestSupport
import Testing

@testable import HTTP
@testable import SignIn
@testable import TestTeams

/// Lends `body` a site whose team Acme is registered at the Apple simulator, with its people there.
func withApple(
    limits: [String: Int] = [:], deadlines: AppleService.Timeouts = .onlyWhatHangs,
    _ body: (TestSite) async throws -> Void
) async throws {
    try await withSite(limits: limits, isAtApple: true, deadlines: deadlines) { site in
        let teams = site.teams
        try await teams.loop.run {
            try teams.setIdentitySources("directory,apple")
            try await Cast(teams.database).admit(to: .appleSide)
        }
        try await body(site)
    }
}

extension AppleService {
    /// The Apple simulator at a site's port.
    init(_ teams: TestTeams, port: UInt16, _ deadlines: Timeouts = .onlyWhatHangs) {
        self.init(
            issuer: teams.server.base(of: .appleSide), base: "http://127.0.0.1:\(port)/apple",
            addresses: .publicAndLoopback, timeouts: deadlines)
    }
}

extension AppleService.Timeouts {
    /// Those that only what hangs passes.
    static var onlyWhatHangs: Self { Self(calls: .testTimeout) }

    init(calls: Duration = .testTimeout, keys: Duration = .testTimeout) {
        self.init()
        (self.calls, self.keys) = (calls, keys)
    }
}

extension TestSite {
    /// Has Apple take its time over the next call at a place, and does something meanwhile.
    func hold<Pending>(_ place: Place = .token, while begin: () async throws -> Pending, then body: () throws -> Void)
        async throws -> Pending
    {
        defer { script.release(place) }
        script.set(.slow, at: place)
        let pending = try await begin()
        try await wait(isHasty: false) { script.heldCount(at: place) == 1 }
        try body()
        return pending
    }

    /// Lets what is under way time out at the server's side, as if Apple had said nothing for too long.
    func timeOut() async throws { try await teams.loop.run { client.end(as: .deadlinePassed) } }

    /// Has the recorders write down what they hold.
    func flush() async throws { try await teams.loop.run { for recorder in recorders { await recorder.finish() } } }
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
    func postBack(_ exit: Answer, changing changes: [String: String?] = [:]) throws -> String {
        let fields = ["code", "id_token", "user", "state", "error"].compactMap { name in
            (changes[name] ?? exit.value(of: name)).map { (name: name, value: $0) }
        }
        let answer = try Exchange(
            port: port, "POST", Self.callback, [TestSite.form, "Origin: https://appleid.apple.com"],
            body: FormCoding.encode(fields)
        ).answer()
        #expect(answer.status == 303 && answer["Set-Cookie"] == nil)
        return try #require(answer["Location"])
    }

    /// From the app over Apple, as far as the address where the browser comes back.
    func signInUntilBack(_ performer: Performer = .regular, _ changes: [String: String?] = Browser.everything) throws
        -> String
    { try postBack(try choose(performer, on: try goToApple(changes))) }

    /// The whole way, from the app to the app.
    func signInAtApple(_ performer: Performer, _ changes: [String: String?] = Browser.everything) throws -> Answer {
        try get(try signInUntilBack(performer, changes))
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
