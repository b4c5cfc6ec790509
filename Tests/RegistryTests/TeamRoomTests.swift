import Domain
import Postgres
import Registry
import TestDatabase
import TestSupport
import Testing

/// What a team may register altogether, since every loop keeps all of it.
@Suite struct `A team's registry` {
    /// Writes what registers that much beyond all rules, and counts no version of it.
    private static func fill(_ acme: Registered, _ statements: String) throws {
        let admin = try AdminConnection(to: acme.conninfo)
        try admin.execute("SET session_replication_role = replica; \(statements)")
    }

    /// Registers App IDs `com.acme.filler1` and on.
    private static func fill(_ acme: Registered, apps: Int) throws {
        try fill(
            acme,
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT 'ACMETEAM01', 'com.acme.filler' || n, 'app' FROM generate_series(1, \(apps)) AS n;
            INSERT INTO app_ids (team_id, identifier, description)
            SELECT team_id, identifier, 'Filler' FROM client_identifiers WHERE kind = 'app'
            """)
    }

    /// Gives each of the App IDs five Service IDs, with so many domains and return URLs each.
    private static func fillServices(_ acme: Registered, domains: Int, urls: Int) throws {
        try fill(
            acme,
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT team_id, identifier || '.web' || n, 'service' FROM app_ids, generate_series(1, 5) AS n;
            INSERT INTO service_ids (team_id, identifier, app_id, slot, description)
            SELECT team_id, identifier || '.web' || n, identifier, n, 'Filler'
            FROM app_ids, generate_series(1, 5) AS n;
            INSERT INTO service_domains (team_id, service_id, domain)
            SELECT team_id, identifier, 'd' || n || '.example'
            FROM service_ids, generate_series(1, \(domains)) AS n;
            INSERT INTO return_urls (team_id, service_id, slot, url)
            SELECT team_id, identifier, n, 'https://d1.example/' || n
            FROM service_ids, generate_series(1, \(urls)) AS n
            """)
    }

    @Test func `V43, V46: has exactly 500 App IDs after fifty attempts at once, and Rival is not affected`()
        async throws
    {
        try await Registered.with { acme in
            try Self.fill(acme, apps: 480)

            let made = try await race(50, refused: ValidationError.limitReached(.appIDs, of: "ACMETEAM01")) {
                try await acme.makeApp("com.acme.app\($0)")
            }

            #expect(made == 20)
            #expect(try await acme.number("SELECT count(*) FROM app_ids") == 500)
            #expect(try await acme.number("SELECT count(*) FROM client_identifiers") == 500)
            try await acme.makeApp(in: .rival)
        }
    }

    @Test func `V43: keeps the App IDs beyond the limit that it has, and may change and delete them`() async throws {
        try await Registered.with { acme in
            try Self.fill(acme, apps: 510)
            let name = ClientID.named("com.acme.filler7")
            let known = try #require(try await acme.appIDs.find(name, in: .acme))
            let draft = try AppID.Draft(
                parsing: AppID.Input(identifier: name.rawValue, description: "Renamed"), policy: .hostNames)

            let saved = try await acme.appIDs.update(to: draft, version: known.version)

            guard case .saved(let current) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect(current.description == "Renamed")
            try await acme.makeService("com.acme.filler7.web", of: name.rawValue)
            await #expect(throws: ValidationError.limitReached(.appIDs, of: "ACMETEAM01")) { try await acme.makeApp() }
            let gone = try await acme.appIDs.delete(name, reason: "No use")
            #expect(gone != nil)
        }
    }

    @Test func `V43, V46: names at most 2,000 domains in its Service IDs together`() async throws {
        try await Registered.with { acme in
            try Self.fill(acme, apps: 39)
            try Self.fillServices(acme, domains: 10, urls: 1)
            try await acme.makeApp()
            let names = (1...50).map { "n\($0).example" }
            // 1,950 by now; of five times fifty one has room.
            let full = ValidationError.limitReached(.teamDomains, of: "ACMETEAM01")
            let made = try await race(5, refused: full) { number in
                let draft = try ServiceID.Draft.sample("com.acme.web\(number)", domains: names, returnURLs: [])
                try await acme.serviceIDs.create(draft)
            }

            #expect(made == 1)
            #expect(try await acme.number("SELECT count(*) FROM service_domains") == 2000)
            // What has no more than before is saved all the same.
            let known = try #require(try await acme.serviceIDs.find(.named("com.acme.filler3.web2"), in: .acme))
            func update(_ count: Int) async throws -> Update<ServiceID> {
                let draft = try ServiceID.Draft.sample(
                    "com.acme.filler3.web2", of: "com.acme.filler3", domains: Array(names.prefix(count)), returnURLs: []
                )
                return try await acme.serviceIDs.update(to: draft, version: known.version)
            }
            await #expect(throws: full) { _ = try await update(11) }
            guard case .saved = try await update(10) else { return #expect(Bool(false)) }
            try await acme.makeApp("com.rival.app", in: .rival)
            try await acme.makeService("com.rival.web", of: "com.rival.app", in: .rival)
        }
    }

    @Test func `V43: has at most 5,000 return URLs in its Service IDs together`() async throws {
        try await Registered.with { acme in
            try Self.fill(acme, apps: 100)
            try Self.fillServices(acme, domains: 1, urls: 10)
            try await acme.makeApp()

            await #expect(throws: ValidationError.limitReached(.teamReturnURLs, of: "ACMETEAM01")) {
                try await acme.makeService()
            }
            let empty = try ServiceID.Draft.sample(returnURLs: [])
            try await acme.serviceIDs.create(empty)
        }
    }
}
