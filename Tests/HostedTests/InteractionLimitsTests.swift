import Bytes
import Directory
import Domain
import EventLoop
import HTTP
import Testing

@testable import Hosted
@testable import TestTeams

/// How many sign-ins may be begun, by all processes together.
@Suite struct InteractionLimitsTests {
    @Test func `two processes count together, each within its share`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let processes = [InteractionLimits(perAddress: 64), InteractionLimits(perAddress: 64)]
            let address = try #require(IPAddress("203.0.113.7"))
            var admitted = 0
            for turn in 0..<200 {
                let limits = processes[turn % 2]
                if try await Self.admit(limits, address, store, teams) { admitted += 1 }
            }
            // A thirty-second of the limit is counted by each process before the others know of it.
            #expect((64...68).contains(admitted))
        }
    }

    @Test func `an address beyond its limit costs its team nothing, and a new minute begins anew`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = InteractionLimits(perAddress: 2, perTeam: 5)
            let one = try #require(IPAddress("203.0.113.7"))
            let two = try #require(IPAddress("2001:db8::1"))
            let neighbour = try #require(IPAddress("2001:db8::ffff"))
            var answers: [Bool] = []
            for address in [one, one, one, two, neighbour, two] {
                answers.append(try await Self.admit(limits, address, store, teams))
            }
            #expect(answers == [true, true, false, true, true, false])
            let rival = try await limits.admit(one, team: .rival, counting: store, at: teams.clock.now)
            #expect(rival)
            teams.clock.advance(by: .seconds(60))
            #expect(try await Self.admit(limits, one, store, teams))
        }
    }

    @Test func `what one address is refused uses up nothing of its team's, in any process`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let processes = (1...2).map { _ in InteractionLimits(perAddress: 3, perTeam: 20) }
            let flood = try #require(IPAddress("203.0.113.7"))
            var answers: [Bool] = []
            for turn in 0..<100 { answers.append(try await Self.admit(processes[turn % 2], flood, store, teams)) }
            #expect(answers.count { $0 } == 3)
            #expect(try teams.counted("attempts.team") == [3])

            var others = 0
            for last in 1...20 {
                let address = try #require(IPAddress("198.51.100.\(last)"))
                if try await Self.admit(processes[last % 2], address, store, teams) { others += 1 }
            }
            #expect(others == 17)
        }
    }

    @Test func `a team has a limit of its own over all addresses`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = InteractionLimits(perAddress: 300, perTeam: 3)
            var answers: [Bool] = []
            for last in 1...4 {
                let address = try #require(IPAddress("203.0.113.\(last)"))
                answers.append(try await Self.admit(limits, address, store, teams))
            }
            #expect(answers == [true, true, true, false])
        }
    }

    @Test func `S18, V43: who has used theirs up gets nothing back, however many others come, at any team`()
        async throws
    { try await Self.flood(others: 2_500) }

    fileprivate static func flood(others count: Int) async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = InteractionLimits(perAddress: 64)
            let flood = try #require(IPAddress("203.0.113.7"))
            for _ in 0..<100 { _ = try await admit(limits, flood, store, teams) }
            let now = teams.clock.now
            var others = 0
            for number in 0..<count {
                let text = "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"
                guard let other = IPAddress(text) else { continue }
                let isAdmitted = try await limits.admit(other, team: .rival, counting: store, at: now)
                if isAdmitted { others += 1 }
            }
            #expect(others == count)
            let again = try await admit(limits, flood, store, teams)
            #expect(!again)
        }
    }

    @Test func `S18: the networks of one IPv6 site share an allowance beside their own`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let limits = InteractionLimits(perAddress: 2, perSite: 5, perTeam: 20)
            var admitted = 0
            for network in 1...40 {
                for host in 1...3 {
                    let address = try #require(IPAddress("2001:db8:1:\(network)::\(host)"))
                    if try await Self.admit(limits, address, store, teams) { admitted += 1 }
                }
            }
            #expect(admitted == 5)
            // What a site is refused costs its team nothing. A limit this low is shared one by one.
            #expect(try teams.admin("SELECT sum(count) FROM limits WHERE subject = 'attempts.team'") == [["5"]])
            for other in ["2001:db8:2::1", "203.0.113.7", "198.51.100.1"] {
                let address = try #require(IPAddress(other))
                #expect(try await Self.admit(limits, address, store, teams), "\(other)")
            }
        }
    }

    @Test func `S18: what all senders write into a team's sign-ins is bounded, in all processes together`() async throws
    {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            let processes = (1...2).map { _ in InteractionLimits(perAddress: 1000, octetsPerTeam: 1 << 20) }
            var octets = 0
            for last in 1...200 {
                let address = try #require(IPAddress("203.0.113.\(last)"))
                let isAdmitted = try await processes[last % 2].admit(
                    address, octets: 12_000, team: .acme, counting: store, at: teams.clock.now)
                if isAdmitted { octets += 12_000 }
            }
            // Each process may let one share and one request more pass.
            #expect((1_000_000...1_150_000).contains(octets))
            let (limits, one) = (processes[0], try #require(IPAddress("203.0.113.7")))
            let rival = try await limits.admit(one, octets: 4000, team: .rival, counting: store, at: teams.clock.now)
            #expect(rival)
            teams.clock.advance(by: .seconds(60))
            #expect(try await Self.admit(limits, one, store, teams))
        }
    }

    @Test func `S18, V43: what is sent along and not kept counts for nothing`() async throws {
        try await withApple(limits: InteractionLimits(octetsPerTeam: 4096)) { site in
            let browser = try site.signedIn()
            let form = try browser.get(Browser.account).form(to: "/account/apple")
            let more = ("more", String(repeating: "x", count: 8000))
            #expect(try browser.send(form, [more]).status == 200)
        }
        try await withSite(limits: InteractionLimits(octetsPerTeam: 64 * 6400)) { site in
            let padding = String(repeating: "x", count: 2000)
            for _ in 0..<20 {
                let padded = try site.browser().get(Browser.authorize(["more": padding, "extra": padding]))
                #expect(padded.status == 200)
            }
            let longest = ["state": String(repeating: "x", count: 4096)]
            let first = try site.browser().get(Browser.authorize(longest))
            let second = try site.browser().get(Browser.authorize(longest))
            #expect(first.status == 200 && second.status == 429)
        }
    }

    @Test func `S18, V43: one address, or one site, uses up no team's octets`() async throws {
        try await withTeams { teams in
            let store = LimitStore(teams.database)
            // Of a team 4 MiB, of an address 64 KiB, of a site 256 KiB.
            let limits = InteractionLimits(perAddress: 10_000, octetsPerTeam: 4 << 20)
            func write(_ text: String, _ count: Int) async throws -> Int {
                let address = try #require(IPAddress(text))
                var octets = 0
                for _ in 0..<count {
                    let isAdmitted = try await limits.admit(
                        address, octets: 6400, team: .acme, counting: store, at: teams.clock.now)
                    if isAdmitted { octets += 6400 }
                }
                return octets
            }
            #expect(try await write("203.0.113.1", 1000) == 64_000)
            var ofSite = 0
            for network in 0..<60 { ofSite += try await write("2001:db8:1:\(network)::1", 20) }
            #expect(ofSite == 256_000)
            #expect(try await write("203.0.113.2", 3) == 3 * 6400)
        }
    }

    @Test(.site) func `S18, V43: a request to sign in is 16 KiB long at most`() throws {
        let body = "state=" + String(repeating: "x", count: 20_000)
        let answer = try site.ask("POST", "/t/ACMETEAM01/auth/authorize", [TestSite.form], body: body)
        #expect(answer.status == 413)
    }

    @Test(.site) func `S18: one sign-in keeps little of what its sender wrote`() throws {
        let longest = ["state": 4096, "nonce": 512, "login_hint": 2048]
        let accepted = longest.mapValues { String(repeating: "x", count: $0) }
        #expect(try site.browser().get(Browser.authorize(accepted)).status == 200)
        for (name, length) in longest {
            var form = accepted
            form[name] = String(repeating: "x", count: length + 1)
            _ = try site.browser().get(Browser.authorize(form))
        }

        let kept = try site.teams.admin("SELECT octet_length(a::text) FROM attempts AS a WHERE team_id = 'ACMETEAM01'")
        #expect(kept.count == 1)
        #expect(kept.first?[0].flatMap { Int($0) }.map { $0 < 6_000 } == true, "\(kept)")
    }

    private static func admit(
        _ limits: InteractionLimits, _ address: IPAddress, _ store: LimitStore, _ teams: TestTeams
    ) async throws -> Bool { try await limits.admit(address, team: .acme, counting: store, at: teams.clock.now) }
}

@Suite struct InteractionLimitsLongTests {
    @Test func `S18, V43: who has used theirs up gets nothing back, though a quarter of a million others come`()
        async throws
    { try await InteractionLimitsTests.flood(others: 250_000) }
}
