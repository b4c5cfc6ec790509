import Core
import Platform
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import Registry

/// What a registry holds at most, tried alike for every stock.
@Suite struct `A quota of the registry` {
    private struct Stock: Sendable {
        let quota: Quota
        var owner = "ACMETEAM01"
        let table: String
        /// What is there before.
        var fill: @Sendable (Registered) throws -> Void = { _ in }
        /// How many more there is room for, of so many that come at once.
        let room: Int
        var attempts = 50
        /// Adds one to a team, with a name by its number.
        let add: @Sendable (Registered, Int, TeamID) async throws -> Void
    }

    private static func addService(_ teams: Registered, _ number: Int, domains: [String], to team: TeamID) async throws
    {
        let urls = domains.isEmpty ? ["http://localhost/\(number)"] : []
        try await teams.serviceIDs.create(
            .sample("com.acme.web\(number)", domains: domains, returnURLs: urls), in: team)
    }

    private static let stocks = [
        Stock(quota: .activeKeys, owner: "com.acme.app", table: "keys", room: 2) {
            let issue = try Key.Issue(name: "Key \($1)", appID: "com.acme.app")
            _ = try await $0.keys.issue(issue, in: $2, by: .ada, from: .local)
        },
        Stock(quota: .appleKeys, owner: "com.acme.app", table: "apple_keys", room: 2) {
            try await $0.bring("KEY\(1_000_000 + $1)", in: $2)
        },
        Stock(quota: .serviceIDs, owner: "com.acme.app", table: "service_ids", room: 5) {
            try await $0.makeService("com.acme.web\($1)", in: $2)
        },
        Stock(quota: .emailSources, table: "email_sources", room: 100, attempts: 110) {
            try await $0.emailSources.create(.init(source: try EmailSource(parsing: "s\($1).example")), in: $2)
        },
        Stock(quota: .appIDs, table: "app_ids", fill: { try $0.fill(apps: 479) }, room: 20) {
            try await $0.makeApp("com.acme.more\($1)", in: $2)
        },
        // Of five times fifty domains one has room.
        Stock(
            quota: .teamDomains, table: "service_domains", fill: { try $0.fill(apps: 39, domains: 10, urls: 1) },
            room: 1, attempts: 5
        ) { try await addService($0, $1, domains: (1...50).map { "n\($0).example" }, to: $2) },
        Stock(
            quota: .teamReturnURLs, table: "return_urls", fill: { try $0.fill(apps: 100, domains: 1, urls: 10) },
            room: 0, attempts: 5
        ) { try await $0.makeService("com.acme.web\($1)", in: $2) },
    ]

    @Test func `V43, V46: holds exactly, however many come at once, and takes nothing from other teams`() async throws {
        for stock in Self.stocks {
            try await Registered.with { teams in
                for team in [TeamID.acme, .rival] { try await teams.makeApp(in: team) }
                try stock.fill(teams)
                let refusal = ValidationError.limitReached(stock.quota, of: stock.owner)
                let added = try await race(stock.attempts, refused: refusal) { try await stock.add(teams, $0, .acme) }
                #expect(added == stock.room, "\(stock.quota)")
                let rows = try teams.count(stock.table, in: .acme)
                #expect(rows == stock.quota.count, "\(stock.quota)")
                try await stock.add(teams, 0, .rival)
            }
        }
    }

    @Test func `V43: leaves a team what it has beyond it, to change and to delete`() async throws {
        try await Registered.with { acme in
            try acme.fill(apps: 510)
            let name = ClientID.named("com.acme.filler7")
            let known = try #require(try await acme.appIDs.find(name, in: .acme))
            let draft = try AppID.Draft(name.rawValue, ["description": "Renamed"], policy: .hostNames)
            let saved = try await acme.appIDs.update(to: draft, version: known.version)
            guard case .saved(let current) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect(current.description == "Renamed")
            try await acme.makeService("com.acme.filler7.web", of: name.rawValue)
            await #expect(throws: ValidationError.limitReached(.appIDs, of: "ACMETEAM01")) { try await acme.makeApp() }
            let gone = try await acme.appIDs.delete(name, reason: "No use")
            #expect(gone != nil)
        }
    }

    @Test func `V43: of domains lets a full team save what has no more of them than before`() async throws {
        try await Registered.with { acme in
            try acme.fill(apps: 40, domains: 10, urls: 1)
            let known = try #require(try await acme.serviceIDs.find(.named("com.acme.filler3.web2"), in: .acme))
            func update(_ count: Int) async throws -> Update<ServiceID> {
                let draft = try ServiceID.Draft.sample(
                    "com.acme.filler3.web2", of: "com.acme.filler3", domains: (1...count).map { "n\($0).example" },
                    returnURLs: [])
                return try await acme.serviceIDs.update(to: draft, version: known.version)
            }
            let full = ValidationError.limitReached(.teamDomains, of: "ACMETEAM01")
            await #expect(throws: full) { _ = try await update(11) }
            guard case .saved = try await update(10) else { return #expect(Bool(false)) }
        }
    }
}

extension Registered {
    /// Gives Acme App IDs `com.acme.filler1` and on, each with five Service IDs that have so many domains and URLs,
    /// beyond all rules and without a new version of its registry.
    fileprivate func fill(apps: Int, domains: Int = 0, urls: Int = 0) throws {
        let services = domains + urls == 0 ? 0 : 5
        try AdminConnection(to: conninfo).execute(
            """
            SET session_replication_role = replica;
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT 'ACMETEAM01', 'com.acme.filler' || n, 'app' FROM generate_series(1, \(apps)) AS n;
            INSERT INTO app_ids (team_id, identifier, description)
            SELECT team_id, identifier, 'Filler' FROM client_identifiers WHERE identifier LIKE '%filler%';
            INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
            SELECT team_id, identifier || '.web' || n, identifier, n, 'Filler'
            FROM app_ids, generate_series(1, \(services)) AS n WHERE identifier LIKE '%filler%';
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT team_id, identifier, 'service' FROM service_ids;
            INSERT INTO service_domains (team_id, service_id, domain)
            SELECT team_id, identifier, 'd' || n || '.example'
            FROM service_ids, generate_series(1, \(domains)) AS n;
            INSERT INTO return_urls (team_id, service_id, rank, url)
            SELECT team_id, identifier, n, 'https://d1.example/' || n
            FROM service_ids, generate_series(1, \(urls)) AS n
            """)
    }
}
