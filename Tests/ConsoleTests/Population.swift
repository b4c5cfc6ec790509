import Postgres
import Testing

/// The population of the benchmark in small: the same SQL, so that it fits the schema as long as the tests pass.
struct Population {
    let conninfo: String

    private static let files = ["shape", "teams", "people", "tokens", "registry", "audit", "traces", "operations"]
    private static let sizes = [
        "teams": 2000, "people": 6000, "tokens": 60000, "events": 20000, "days": 50, "traces": 8000, "apps": 80,
        "jobs": 5000,
    ]

    /// Acme as the population expects it: with a key, a client, and one person who has a password.
    private static let acme = """
        INSERT INTO client_identifiers (team_id, identifier, kind)
        VALUES ('ACMETEAM01', 'com.acme.app', 'app'), ('ACMETEAM01', 'com.acme.web', 'service');
        INSERT INTO app_ids (team_id, identifier, description) VALUES ('ACMETEAM01', 'com.acme.app', 'Acme');
        INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
        VALUES ('ACMETEAM01', 'com.acme.web', 'com.acme.app', 1, 'Acme Web');
        INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint)
        VALUES ('ACMETEAM01', 'ACMEKEY001', 'Test', 'com.acme.app', 1, 'none', 'none');
        INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', 'ada');
        INSERT INTO passwords (team_id, sub, hash) VALUES ('ACMETEAM01', 'ada', 'none');
        """

    func plant() throws {
        try AdminConnection(to: conninfo).execute(Self.acme)
        for file in Self.files {
            try run(#require(SwiftSources.text(of: "\(repository)/bench/sql/population/\(file).sql")))
        }
        try AdminConnection(to: conninfo).execute("ANALYZE")
    }

    /// What psql would do with a file: values for names, and `\gexec` for a query that yields statements.
    private func run(_ file: String) throws {
        var text = file.replacing(":'team'", with: "'ACMETEAM01'")
        for (name, value) in Self.sizes { text = text.replacing(":\(name)", with: "\(value)") }
        let connection = try AdminConnection(to: conninfo)
        let parts = text.split(separator: "\\gexec")
        for part in parts.dropLast() {
            let statements = part.split(separator: ";")
            try connection.execute(statements.dropLast().joined(separator: ";"))
            for row in try connection.execute(String(statements.last ?? ""), []) {
                try connection.execute(row[0] ?? "")
            }
        }
        try connection.execute(String(parts.last ?? ""))
    }
}
