import Testing

/// What browsers are told of using TLS alone.
@Suite struct TransportSecurityTests {
    /// The field as a page has it, asked for by a proxy that says so of its client's connection, one time after the other.
    private func fields(
        _ protocols: [String], at publicURL: String = "https://id.example.com", with arguments: [String] = []
    ) async throws -> [String?] {
        var fields: [String?] = []
        try await withDatabase { conninfo in
            try await withServer(conninfo, at: publicURL, with: ["--trusted-proxy=127.0.0.1"] + arguments) { server in
                try await server.turns("ready")
                let wire = Wire(port: server.port)
                for name in protocols {
                    let said = name.isEmpty ? "" : "X-Forwarded-Proto: \(name)\r\n"
                    let head = "GET /console/setup HTTP/1.1\r\nHost: localhost\r\n\(said)\r\n"
                    fields.append(wire.ask(Array(head.utf8))["strict-transport-security"])
                }
            }
        }
        return fields
    }

    @Test func `V86: is a year once a request came by TLS, and never about hosts below`() async throws {
        let (day, year) = ("max-age=86400", "max-age=31536000")
        #expect(try await fields(["", "http", "https", ""]) == [day, day, year, year])
    }

    @Test func `V86: is what the operator says`() async throws {
        #expect(try await fields(["https"], with: ["--hsts=0"]) == ["max-age=0"])
        #expect(try await fields(["https"], with: ["--hsts=300"]) == ["max-age=300"])
        #expect(try await fields(["https"], at: "http://localhost:1") == [nil])
    }
}
