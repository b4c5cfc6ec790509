import Core
import EventLoop
import HTTP
import Platform
import Postgres
import Synchronization
import TestDatabase
import TestNames
import TestSupport
import Testing

@testable import Registry

@Suite struct `What is checked by itself` {
    /// Acme with a domain on a site of this machine that serves `content`, and an email source.
    private func register(_ acme: Registered, port: UInt16, in team: TeamID = .acme) async throws {
        try await acme.makeApp(in: team)
        let draft = try ServiceID.Draft(
            "com.acme.local", of: .named("com.acme.app"),
            [
                "description": "Local", "domains": ["127.0.0.1"],
                "returnURLs": .strings(["http://127.0.0.1:\(port)/back"]),
            ], policy: .hostNamesAndLoopback)
        try await acme.serviceIDs.create(draft, in: team)
        let source = try EmailSource.Draft("acme.example", [:])
        try await acme.emailSources.create(source, in: team)
    }

    /// Lends `body` both teams, a name server that knows Acme's mail servers, and checks by it, of which those that are
    /// asked for may look at addresses of this machine or not.
    private func withChecks(
        _ body:
            @escaping @Sendable (
                Registered, TestNameServer, @escaping @Sendable (_ allowsLoopback: Bool) -> RegistryChecks
            ) async throws -> Void
    ) async throws {
        try await Registered.with { acme in
            let names = try TestNameServer(on: acme.loop)
            defer { names.close() }
            names.names = ["acme.example": .text("v=spf1 mx -all")]
            var options = Resolver.Options()
            (options.servers, options.timeout, options.tries) = ([names.address], .testTimeout, 1)
            let resolver = try Resolver(on: acme.loop, options)
            defer { resolver.close() }
            let client = try HTTPClient(on: acme.loop)
            defer { client.close() }
            try await body(acme, names) { allowsLoopback in
                RegistryChecks(
                    acme.database, client: client, resolver: resolver, allowsLoopback: allowsLoopback,
                    deadlines: (.testTimeout, .testTimeout))
            }
        }
    }

    @Test func `is everything that is due, once, and nothing of who has none`() async throws {
        try await withChecks { acme, names, makeChecks in
            let site = try await serve(on: acme.loop) { .text("elsewhere") }
            try await register(acme, port: site.port)
            let checks = makeChecks(true)
            let isMoreDue = try await checks.checkDue(in: .acme)
            #expect(!isMoreDue)
            _ = try await checks.checkDue(in: .rival)

            let domain = try await acme.domains.find("127.0.0.1", in: .acme)
            #expect(domain?.finding?.kind == .otherContent && domain?.finding?.detail == "elsewhere")
            #expect(try await acme.emailSources.list(in: .acme).map(\.state) == [.ok])
            #expect(names.asked == ["udp acme.example"])
            _ = try await checks.checkDue(in: .acme)
            #expect(names.asked.count == 1)
            await site.stop(within: .zero)
        }
    }

    @Test func `asks no address of this machine unless an operator allows it, or for a production team`() async throws {
        try await withChecks { acme, _, makeChecks in
            try await register(acme, port: 9)
            let check: @Sendable (Bool) async throws -> DomainFinding.Kind? = { allowsLoopback in
                let domain = try #require(try await acme.domains.find("127.0.0.1", in: .acme))
                let checked = try await makeChecks(allowsLoopback).check(domain, in: .acme, by: .ada, from: .local)
                return checked?.finding?.kind
            }

            #expect(try await check(true) == .unreachable)
            #expect(try await check(false) == .addressRefused)
            try await acme.database.query(
                "UPDATE teams SET mode = 'production' WHERE team_id = \(TeamID.acme)", in: .acme)
            #expect(try await check(true) == .addressRefused)
        }
    }

    @Test func `S22, V43: is asked of one team's domains while another's do not answer`() async throws {
        try await withChecks { acme, _, makeChecks in
            // No team's domain answers before the other's was asked, too.
            let asked = Mutex<Set<UInt16>>([])
            var sites: [Server] = []
            for (index, team) in [TeamID.acme, .rival].enumerated() {
                let site = try await serve(on: acme.loop) {
                    asked.withLock { _ = $0.insert(UInt16(index)) }
                    try await waitUntil { asked.withLock { $0.count } == 2 }
                    return .text("elsewhere")
                }
                sites.append(site)
                try acme.setMode("sandbox", of: team)
                try await register(acme, port: site.port, in: team)
            }
            try await RegistryCheckRound(acme.system, makeChecks(true)).run()

            for team in [TeamID.acme, .rival] {
                let domain = try await acme.domains.find("127.0.0.1", in: team)
                #expect(domain?.finding?.kind == .otherContent, "\(team)")
            }
            for site in sites { await site.stop(within: .zero) }
        }
    }

    @Test func `is found across teams, and taken by one process`() async throws {
        try await Registered.with { acme in
            let store = RegistryCheckStore(acme.system)
            let none = try await store.dueTeams(limit: 5)
            #expect(none.isEmpty)
            try await register(acme, port: 9)

            #expect(try await store.dueTeams(limit: 5) == [.acme])
            let taken = try await race(10) { _ in try await acme.domains.takeDue(limit: 5, in: .acme).count }
            #expect(taken.reduce(0, +) == 1)
            _ = try await acme.emailSources.takeDue(limit: 5, in: .acme)
            #expect(try await store.dueTeams(limit: 5).isEmpty)
        }
    }
}

@Suite struct `Teams whose domains are looked at` {
    private static func team(_ number: Int) throws -> TeamID { try #require(TeamID(rawValue: "TEAM00000\(number)")) }

    @Test func `S22, V43: wait for no domain of another that never answers`() async throws {
        let (slow, quick) = (try Self.team(0), try (1...9).map(Self.team))
        let others = Others(count: quick.count)

        // The slow one's turn ends only after all others have had theirs: one after the other, nobody would.
        try await RegistryCheckRound.Scheduler(width: 2, turnsPerTeam: 12).give(to: [slow] + quick) { team in
            if team == slow { await others.allServed() } else { others.serve(team) }
            return false
        }

        #expect(others.served == quick)
    }

    @Test func `S22, V43: have their next turn behind all that had none, and no more than is fair`() async throws {
        let teams = try (0...3).map(Self.team)
        let order = Mutex<[TeamID]>([])

        try await RegistryCheckRound.Scheduler(width: 1, turnsPerTeam: 3).give(to: teams) { team in
            order.withLock { $0.append(team) }
            return team == teams[0] || team == teams[2]
        }

        let expected = teams + [teams[0], teams[2], teams[0], teams[2]]
        #expect(order.withLock { $0 } == expected)
    }

    @Test func `S22: are each looked at, whatever happens with another`() async throws {
        struct Trouble: Error {}
        let teams = try (0...3).map(Self.team)
        let order = Mutex<[TeamID]>([])

        await #expect(throws: Trouble.self) {
            try await RegistryCheckRound.Scheduler(width: 2, turnsPerTeam: 2).give(to: teams) { team in
                if team == teams[0] { throw Trouble() }
                order.withLock { $0.append(team) }
                return false
            }
        }

        #expect(order.withLock { Set($0) } == Set(teams.dropFirst()))
    }
}

/// Tells a waiting turn when all others are over.
private final class Others: Sendable {
    private struct State {
        var served: [TeamID] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let count: Int
    private let state = Mutex(State())

    init(count: Int) { self.count = count }

    var served: [TeamID] { state.withLock { $0.served } }

    func serve(_ team: TeamID) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.served.append(team)
            return state.served.count == count ? state.waiting : nil
        }
        waiting?.resume()
    }

    func allServed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.waiting = continuation
                return state.served.count == count
            }
            if isOver { continuation.resume() }
        }
    }
}
