import Core
import Crypto
import HTTP
import Platform
import SignIn
import Simulator
import Testing

@testable import Console

/// Every call of theirs goes to Apple or to a server of somebody else's.
@Suite(.environment) struct `A check-up and a test of a connection` {
    private static let address = CheckupPages.checkup.link(TeamID.acme)

    /// So many App IDs beneath com.acme.app, which is connected.
    private func connect(_ browser: inout Browser, grouped: Int) async throws {
        try environment.openAppleSide()
        _ = try await environment.addAcmeWeb()
        try environment.addApps(grouped, named: "com.acme.part")
        try environment.admin("UPDATE app_ids SET primary_identifier = 'com.acme.app' WHERE identifier LIKE '%.part%'")
        try await browser.connectAcme()
    }

    /// Connections whose keys no master key opens.
    private func addSealedConnections(_ count: Int) throws {
        try environment.addApps(9 + count, named: "com.acme.app")
        let numbers = "FROM generate_series(10, 9 + $1::int) AS n"
        for statement in [
            """
            INSERT INTO apple_keys (
                team_id, key_id, apple_team_id, name, app_id, rank, fingerprint, private_key_sealed
            )
            SELECT
                'ACMETEAM01', 'APPLEKEY' || n, 'APPLETEAM1', 'Key', 'com.acme.app' || n, 1, '', '\\x00'::bytea
            \(numbers)
            """,
            """
            INSERT INTO apple_connections (team_id, app_id, services_id, key_id)
            SELECT 'ACMETEAM01', 'com.acme.app' || n, 'com.acme.siwa' || n, 'APPLEKEY' || n \(numbers)
            """,
        ] { try environment.admin(statement, String(count)) }
    }

    /// Seals the keys of such connections anew, so that this server opens them.
    private func reseal(_ numbers: ClosedRange<Int>) throws {
        let sealer = environment.parts.server.keyRing.sealer(purpose: "private half of a key from Apple")
        for number in numbers {
            let id = "APPLEKEY\(number)"
            let sealed = sealer.seal(
                Array(P256SigningKey.generate().pem.utf8),
                context: [TeamID.acme.rawValue, "apple_keys", id, "private_key_sealed"])
            try environment.admin(
                "UPDATE apple_keys SET private_key_sealed = decode($1, 'hex') WHERE key_id = $2", Hex.encode(sealed), id
            )
        }
    }

    @Test func `V47: ask Apple about ten bundle IDs beside the Services ID, and say how many are left`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await connect(&admin, grouped: 60)
        let page = "/console/ACMETEAM01/apple/com.acme.app"
        let left = "51 more bundle IDs of this group were not asked about"
        #expect(try await !admin.get(page).text.contains("were not asked about"))

        // One fault for each call, and one that is left where there were eleven.
        environment.script.set(.unknownClient, at: .token, times: 12)
        #expect(try await admin.post("\(page)/tests", []).status == 303)
        #expect(environment.script.fault(at: .token) == .unknownClient)
        #expect(try environment.count("apple_connection_tests") == 11)
        #expect(try environment.count("apple_connection_tests WHERE client_id = 'com.acme.app'") == 1)
        #expect(try await admin.get(page).text.contains(left))

        environment.script.set(.unknownClient, at: .token, times: 12)
        #expect(try await admin.post(Self.address, []).text.contains(left))
        #expect(environment.script.fault(at: .token) == .unknownClient)
    }

    @Test func `V47: test ten connections, count as ten, and say how many are left`() async throws {
        try environment.openAppleSide()
        try addSealedConnections(12)
        try reseal(10...21)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let text = try await admin.post(Self.address, []).text

        #expect(text.contains("2 more connections were not tested"))
        let tested = "(SELECT DISTINCT app_id FROM apple_connection_tests) AS tested"
        #expect(try environment.count(tested) == 10)
        #expect(try environment.counted("probes.team") == [11])
    }

    @Test func `V47: test a connection beside ten whose keys cannot be opened, and tell those`() async throws {
        try environment.openAppleSide()
        try addSealedConnections(11)
        try reseal(20...20)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let text = try await admin.post(Self.address, []).text

        let sealed = "cannot be opened with the master key of this server"
        #expect(text.split(separator: sealed).count == 11)
        let tested = try environment.identifiers("DISTINCT app_id", of: "apple_connection_tests")
        #expect(tested == ["com.acme.app20"])
        #expect(try environment.counted("probes.team") == [2])
    }

    @Test func `V47: look at forty domains, those that nobody has looked at for longest`() async throws {
        try environment.admin(
            """
            INSERT INTO domains (team_id, domain)
            SELECT 'ACMETEAM01', 'd' || n || '.localhost' FROM generate_series(100, 299) AS n
            """)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let lookedAt = "domains WHERE checked_at IS NOT NULL"

        #expect(try await admin.post(Self.address, []).text.contains("160 more domains were not checked"))
        #expect(try environment.count(lookedAt) == 40)
        #expect(try await admin.post(Self.address, []).status == 200)
        #expect(try environment.count(lookedAt) == 80)
    }

    @Test func `V47: look at the mail records of twenty email sources, likewise`() async throws {
        try environment.admin(
            """
            INSERT INTO email_sources (team_id, source, kind, rank, records)
            SELECT 'ACMETEAM01', 'mail' || n || '.example', 'domain', n, '[]'
            FROM generate_series(1, 50) AS n
            """)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let lookedAt = "email_sources WHERE checked_at IS NOT NULL"

        #expect(try await admin.post(Self.address, []).text.contains("30 more email sources were not"))
        #expect(try environment.count(lookedAt) == 20)
        #expect(try await admin.post(Self.address, []).status == 200)
        #expect(try environment.count(lookedAt) == 40)
    }

    @Test func `V47: look at forty hosts of return URLs, and say how many are left`() async throws {
        for statement in [
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT 'ACMETEAM01', 'com.acme.web' || n, 'service' FROM generate_series(0, 4) AS n
            UNION ALL SELECT 'ACMETEAM01', 'com.acme.app', 'app'
            """,
            """
            INSERT INTO app_ids (team_id, identifier, description)
            VALUES ('ACMETEAM01', 'com.acme.app', 'App')
            """,
            """
            INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
            SELECT 'ACMETEAM01', 'com.acme.web' || n, 'com.acme.app', n + 1, 'Web'
            FROM generate_series(0, 4) AS n
            """,
            """
            INSERT INTO return_urls (team_id, service_id, rank, url)
            SELECT
                'ACMETEAM01', 'com.acme.web' || n / 10, n % 10 + 1, 'https://r' || n || '.localhost/back'
            FROM generate_series(0, 49) AS n
            """,
        ] { try environment.admin(statement) }
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])

        let text = try await admin.post(Self.address, []).text

        #expect(text.split(separator: "<b>Return URLs on r").count == 41)
        #expect(text.contains("10 more hosts were not looked at"))
    }
}
