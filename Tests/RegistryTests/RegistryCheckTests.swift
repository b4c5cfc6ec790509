import DNS
import Domain
import EventLoop
import HTTP
import HTTPClient
import Postgres
import Synchronization
import TestDatabase
import TestNames
import TestSupport
import Testing

@testable import Registry

@Suite struct `What is checked by itself` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))

    /// Acme with a domain on a site of this machine that serves `content`, and an e-mail source.
    private func register(_ acme: Registered, port: UInt16, in team: TeamID = team) async throws {
        try await acme.makeApp(in: team)
        let draft = try ServiceID.Draft(
            parsing: .init(
                identifier: "com.acme.local", description: "Local", domains: ["127.0.0.1"],
                returnURLs: ["http://127.0.0.1:\(port)/back"]), of: .named("com.acme.app"),
            policy: .hostNamesAndLoopback)
        _ = try await acme.serviceIDs.create(draft, in: team, by: Self.actor, from: .local)
        let source = try EmailSource.Draft(parsing: .init(source: "acme.example"))
        _ = try await acme.emailSources.create(source, in: team, by: Self.actor, from: .local)
    }

    /// A resolver that asks `names` once and waits for the answer.
    private func resolver(_ names: TestNameServer, on loop: EventLoop) throws -> Resolver {
        var options = Resolver.Options()
        (options.servers, options.timeout, options.tries) = ([names.address], .testTimeout, 1)
        return try Resolver(on: loop, options)
    }

    private func checks(_ acme: Registered, _ client: HTTPClient, _ resolver: Resolver, allowsLoopback: Bool = true)
        -> RegistryChecks
    {
        RegistryChecks(
            acme.database, client: client, resolver: resolver, allowsLoopback: allowsLoopback,
            deadlines: (.testTimeout, .testTimeout))
    }

    @Test func `is everything that is due, once, and nothing of who has none`() async throws {
        try await Registered.with { acme in
            let names = try TestNameServer(on: acme.loop)
            defer { names.close() }
            names.names = ["acme.example": .text("v=spf1 mx -all")]
            let resolver = try self.resolver(names, on: acme.loop)
            defer { resolver.close() }
            let client = try HTTPClient(on: acme.loop)
            defer { client.close() }
            var router = Router()
            router.get(Route(AssociationFile.path)) { _ in .text("elsewhere") }
            var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
            // A handler takes as long as the test has it take.
            options.answerTimeout = .testTimeout
            let application = Application(routes: try router.frozen())
            let site = try await Server.start(application, options, on: [acme.loop])[0]
            try await register(acme, port: site.port)
            let checks = self.checks(acme, client, resolver)

            let isMoreDue = try await checks.checkDue(in: Self.team)
            #expect(!isMoreDue)
            _ = try await checks.checkDue(in: .rival)

            let domain = try await acme.domains.find("127.0.0.1", in: Self.team)
            #expect(domain?.finding?.kind == .otherContent && domain?.finding?.detail == "elsewhere")
            #expect(try await acme.emailSources.list(in: Self.team).map(\.state) == [.ok])
            #expect(names.asked == ["udp acme.example"])
            _ = try await checks.checkDue(in: Self.team)
            #expect(names.asked.count == 1)
            await site.stop(within: .zero)
        }
    }

    @Test func `asks no address of this machine unless the operator allows it, or for a production team`() async throws
    {
        try await Registered.with { acme in
            let resolver = try Resolver(on: acme.loop)
            defer { resolver.close() }
            let client = try HTTPClient(on: acme.loop)
            defer { client.close() }
            try await register(acme, port: 9)
            let check: @Sendable (Bool) async throws -> DomainFinding.Kind? = { allowsLoopback in
                let checks = self.checks(acme, client, resolver, allowsLoopback: allowsLoopback)
                let domain = try #require(try await acme.domains.find("127.0.0.1", in: Self.team))
                let checked = try await checks.check(domain, in: Self.team, by: Self.actor, from: .local)
                return checked?.finding?.kind
            }

            #expect(try await check(true) == .unreachable)
            #expect(try await check(false) == .addressRefused)
            try await acme.database.query(
                "UPDATE teams SET mode = 'production' WHERE team_id = \(Self.team)", in: Self.team)
            #expect(try await check(true) == .addressRefused)
        }
    }

    @Test func `S22, V43: is asked of one team's domains while another's do not answer`() async throws {
        try await Registered.with { acme in
            let names = try TestNameServer(on: acme.loop)
            defer { names.close() }
            names.names = ["acme.example": .text("v=spf1 mx -all")]
            let resolver = try self.resolver(names, on: acme.loop)
            defer { resolver.close() }
            let client = try HTTPClient(on: acme.loop)
            defer { client.close() }
            let system = Database(loop: acme.loop, configuration: .forTests(acme.conninfo, role: "pippin_system"))
            system.open()
            defer { system.close() }
            // No team's domain answers before the other's was asked, too.
            let asked = Mutex<Set<UInt16>>([])
            var sites: [Server] = []
            for (index, team) in [Self.team, TeamID.rival].enumerated() {
                var router = Router()
                router.get(Route(AssociationFile.path)) { _ in
                    asked.withLock { _ = $0.insert(UInt16(index)) }
                    while asked.withLock({ $0.count }) < 2 { await acme.loop.sleep(for: .milliseconds(5)) }
                    return .text("elsewhere")
                }
                var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
                options.answerTimeout = .testTimeout
                let application = Application(routes: try router.frozen())
                sites.append(try await Server.start(application, options, on: [acme.loop])[0])
                try AdminConnection(to: acme.conninfo).execute("UPDATE teams SET mode = 'sandbox'")
                try await register(acme, port: sites[index].port, in: team)
            }
            let checks = self.checks(acme, client, resolver)

            try await RegistryCheckRound(SystemDatabase(system), checks).run()

            for team in [Self.team, TeamID.rival] {
                let domain = try await acme.domains.find("127.0.0.1", in: team)
                #expect(domain?.finding?.kind == .otherContent, "\(team)")
            }
            for site in sites { await site.stop(within: .zero) }
        }
    }

    @Test func `is found across teams, and taken by one process`() async throws {
        try await Registered.with { acme in
            let system = Database(loop: acme.loop, configuration: .forTests(acme.conninfo, role: "pippin_system"))
            system.open()
            defer { system.close() }
            let store = RegistryCheckStore(SystemDatabase(system))
            let none = try await store.dueTeams(limit: 5)
            #expect(none.isEmpty)
            try await register(acme, port: 9)

            #expect(try await store.dueTeams(limit: 5) == [Self.team])
            let race = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<10 {
                    group.addTask { (try? await acme.domains.takeDue(limit: 5, in: Self.team).count) ?? -1 }
                }
                return await group.reduce(0, +)
            }
            #expect(race == 1)
            _ = try await acme.emailSources.takeDue(limit: 5, in: Self.team)
            #expect(try await store.dueTeams(limit: 5).isEmpty)
        }
    }
}
