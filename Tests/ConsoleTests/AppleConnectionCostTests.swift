import Crypto
import Platform
import Simulator
import Testing

/// What the page of connections to Apple asks of the database.
@Suite(.environment) struct `Connections to Apple by the hundred` {
    private static let hub = "/console/ACMETEAM01/apple"

    private func connect(_ app: String, _ key: String, _ browser: inout Browser) async throws {
        for (path, form) in [
            ("app-ids", [("identifier", app), ("description", "An app"), ("isEnabled", "on")]),
            (
                "apple-keys",
                [
                    ("privateKey", P256SigningKey.generate().pem), ("id", key), ("teamID", Simulator.teamID),
                    ("name", "Key"), ("appID", app),
                ]
            ), ("apple", [("appID", app), ("servicesID", "\(app).siwa"), ("keyID", key)]),
        ] as [(String, [(String, String)])] {
            #expect(try await browser.post("/console/ACMETEAM01/\(path)", form).status == 303, "\(path)")
        }
    }

    private func statements(_ browser: inout Browser) async throws -> Int {
        // What a process keeps of a team is read with the first page.
        _ = try await browser.get(Self.hub)
        let before = environment.statementCount()
        #expect(try await browser.get(Self.hub).status == 200)
        return environment.statementCount() - before
    }

    @Test func `V43: are as many statements as one, each with its own test`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        try await connect("com.acme.one", "KEY1234561", &admin)
        let one = try await statements(&admin)
        try await connect("com.acme.two", "KEY1234562", &admin)
        try await connect("com.acme.three", "KEY1234563", &admin)
        let three = try await statements(&admin)
        #expect(one == three)

        try environment.admin(
            """
            INSERT INTO apple_connection_tests (
                team_id, app_id, client_id, key_id, apple_team_id, outcome, detail, tested_at
            )
            SELECT team_id, app_id, services_id, key_id, $1, 'accepted', '', now() FROM apple_connections
            WHERE app_id = 'com.acme.two'
            """, Simulator.teamID)
        let text = try await admin.get(Self.hub).text
        #expect(text.split(separator: "Not tested").count - 1 == 2)
    }
}
