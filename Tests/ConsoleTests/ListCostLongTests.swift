import Directory
import Platform
import Postgres
import SignIn
import Testing

@testable import Console
@testable import OAuth

/// What every list, search and filter of the console costs over a population of thousands, half of it Acme's.
@Suite(.environment) struct ListCostLongTests {
    /// A team of the population with three people.
    private static let small = "T000000002"

    /// Beneath the address of a team.
    private static func lists(_ sub: String) -> [String] {
        let users = ["", "?q=ada.", "?q=zzz", "?q=ben%20moor", "?q=lovelace", "?q=\(sub)", "/\(sub)"]
        let audit = [
            "", "?actor=\(sub)", "?actor=Ada", "?action=sign_in.completed", "?action=key.revoked",
            "?target=\(sub)&kind=user", "?ip=10.0.0.0/20", "?outcome=refused", "?q=password", "?q=granted%20com",
            "?from=2026-01-01&to=2030-01-01", "?action=token.revoked&outcome=refused",
        ]
        let traces = [
            "", "?app=com.acme.web", "?outcome=failed", "?cause=code_used", "?person=\(sub)",
            "?from=2026-01-01&to=2030-01-01", "?reference=0123456789abcdef",
        ]
        let notifications = ["", "?state=dead", "?state=pending", "?type=account-delete", "?q=\(sub)"]
        let texts = ["", "?q=com.acme", "?q=zzz"]
        return [""] + users.map { "/users\($0)" } + audit.map { "/audit\($0)" } + traces.map { "/traces\($0)" }
            + notifications.map { "/notifications\($0)" } + texts.map { "/app-ids\($0)" }
            + texts.map { "/service-ids\($0)" } + texts.map { "/keys\($0)" } + ["/email-sources", "/members"]
    }

    private static let operatorLists = [
        "/console", "/console/operator", "/console/operator/teams", "/console/operator/teams?q=lum",
        "/console/operator/teams?q=T000000009", "/console/operator/jobs", "/console/operator/jobs?state=dead",
        "/console/operator/jobs?state=running", "/console/operator/jobs?state=succeeded",
        "/console/operator/jobs?kind=mail.send", "/console/operator/jobs?kind=none",
        "/console/operator/jobs?team=ACMETEAM01", "/console/operator/mailbox", "/console/operator/mailbox?q=person12",
    ]

    @Test func `is as many statements for a team of thousands as for a team of three, each by an index`() async throws {
        try populate()
        let small = try #require(TeamID(rawValue: Self.small))
        // A search writes the terms of users whom no job has come to, a part of them each time.
        let terms = UserSearchTermStore(environment.parts.services.database)
        for team in [TeamID.acme, small] { try await terms.update(in: team) }
        var olive = try await environment.signedIn("Olive", [.system: .operator, TeamID.acme: .owner, small: .owner])
        let subs = try subs()
        for (large, little) in zip(Self.lists(subs.large), Self.lists(subs.little)) {
            let acme = try await statements(of: "/console/ACMETEAM01\(large)", &olive)
            let other = try await statements(of: "/console/\(Self.small)\(little)", &olive)
            // A page that finds nothing has nothing to look up.
            #expect(abs(acme - other) <= 1 && acme <= 12, "\(large)")
        }
        for path in Self.operatorLists { #expect(try await statements(of: path, &olive) <= 8, "\(path)") }
        for path in Self.lists(subs.large).map({ "/console/ACMETEAM01\($0)" }) + Self.operatorLists {
            #expect(try await tablesRead(by: path, &olive).isEmpty, "\(path)")
        }
    }

    private func populate() throws {
        try Population(conninfo: environment.conninfo).plant()
        // The tables are a hundredth of what they stand for.
        let name = try #require(environment.admin("SELECT current_database()")[0][0])
        try environment.admin("ALTER DATABASE \"\(name)\" SET seq_page_cost = 100")
        try forgetConnections()
        _ = try forgetScans()
    }

    private func statements(of path: String, _ browser: inout Browser) async throws -> Int {
        // What a process keeps of a team is read with the first page, and proved by its watch from then on.
        _ = try await browser.get(path)
        environment.parts.services.teams.confirm([:], at: .max)
        let before = environment.statementCount()
        #expect(try await browser.get(path).status == 200, "\(path)")
        return environment.statementCount() - before
    }

    /// The tables that are read from end to end.
    private func tablesRead(by path: String, _ browser: inout Browser) async throws -> [String] {
        // A connection makes its plan for good once it has seen a statement five times.
        for _ in 0..<8 { _ = try await browser.get(path) }
        try forgetConnections()
        return try forgetScans()
    }

    private func subs() throws -> (large: String, little: String) {
        let rows = try AdminConnection(to: environment.conninfo).execute(
            """
            SELECT min(sub) FROM users WHERE team_id IN ('ACMETEAM01', $1) AND sub LIKE '0%'
            GROUP BY team_id ORDER BY team_id
            """, [Self.small])
        return (rows[0][0] ?? "", rows[1][0] ?? "")
    }

    /// Ends every other connection: only then is all they did counted.
    private func forgetConnections() throws {
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        let haveEnded = try environment.admin("SELECT pg_terminate_backend(pid, 600000) \(others)")
        #expect(haveEnded.allSatisfy { $0 == ["t"] })
    }

    /// The tables of more than a thousand rows that were read from end to end since the last call.
    private func forgetScans() throws -> [String] {
        let rows = try environment.admin(
            """
            SELECT s.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
            WHERE c.reltuples > 1000 AND s.seq_scan > 0 ORDER BY s.relname
            """)
        try environment.admin("SELECT pg_stat_reset()")
        return rows.compactMap { $0[0] }
    }
}
