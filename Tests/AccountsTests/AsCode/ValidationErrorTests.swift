import Accounts
import Crypto
import Registry
import Testing

@Suite struct `A registry file is refused` {
    @Test(.installation) func `with every reason at once, and nothing is written`() async throws {
        let key = Files.escaped(P256SigningKey.generate().pem)
        let text = """
            {"teams": [
                {"id": "RIVALTEAM1", "name": "Rival", "appIDs": [{"identifier": "com.rival.app"}]},
                {
                    "id": "ACMETEAM01", "name": "", "mode": "test",
                    "identitySources": ["directory", "google"], "secondFactor": "always",
                    "appIDs": [{
                        "identifier": "acme", "description": "", "notificationURL": "http://acme.example/",
                        "serviceIDs": [{
                            "identifier": "com.acme.web", "domains": ["https://acme.example"],
                            "returnURLs": ["https://acme.example/#x"], "issuer": "mine", "booleans": "yes"
                        }]
                    }],
                    "keys": [{"id": "short", "appID": "com.acme.none", "publicKeyPEM": "\(key)"}],
                    "emailSources": [{"domain": "acme"}, {"address": "ada"}],
                    "users": [{"email": "ada", "password": "short", "totpSecret": "JBSWY3DP1"}]
                }
            ]}
            """
        let before = try pippin.rows()

        let report = try await pippin.apply(text)

        #expect(
            report.refusedFields
                == [
                    "name", "mode", "identitySources[1]", "secondFactor", "appIDs[0].identifier",
                    "appIDs[0].description", "appIDs[0].notificationURL", "appIDs[0].serviceIDs[0].domains[0]",
                    "appIDs[0].serviceIDs[0].returnURLs[0]", "appIDs[0].serviceIDs[0].issuer",
                    "appIDs[0].serviceIDs[0].booleans", "keys[0].id", "keys[0].publicKeyPEM", "emailSources[0].domain",
                    "emailSources[1].address", "users[0].email", "users[0].password", "users[0].totpSecret",
                ].map { "teams[1].\($0)" })
        #expect(try pippin.rows() == before)
    }

    @Test(.installation) func `V43: when it has more App IDs than a team may have`() async throws {
        func file(_ count: Int) -> String {
            let apps = (1...count).map { "{\"identifier\": \"com.acme.app\($0)\"}" }
            return "{\"teams\": [{\"id\": \"ACMETEAM01\", \"appIDs\": [\(apps.joined(separator: ", "))]}]}"
        }
        let before = try pippin.rows()
        #expect(
            try await pippin.apply(file(502)).refusedFields == [
                "teams[0].appIDs[500].identifier", "teams[0].appIDs[501].identifier",
            ])
        #expect(try pippin.rows() == before)
        // Whoever brings all at once is limited by nothing else.
        #expect(try await pippin.apply(file(500)).outcome == .applied)
        #expect(try pippin.count("app_ids") == 500 && pippin.count("limits") == 0)
    }

    @Test(.installation) func `when it names a thing twice`() async throws {
        let text = """
            {"teams": [{
                "id": "ACMETEAM01",
                "appIDs": [
                    {"identifier": "com.acme.app", "serviceIDs": [{"identifier": "com.acme.APP"}]},
                    {"identifier": "com.acme.App"}
                ],
                "emailSources": [{"domain": "acme.example"}, {"domain": "ACME.example"}],
                "users": [{"email": "ada@acme.example"}, {"email": "Ada@acme.example"}]
            }, {"id": "ACMETEAM01"}]}
            """

        let report = try await pippin.apply(text)

        #expect(
            report.refusedFields == [
                "teams[0].appIDs[0].serviceIDs[0].identifier", "teams[0].appIDs[1].identifier",
                "teams[0].emailSources[1].domain", "teams[0].users[1].email", "teams[1].id",
            ])
    }

    @Test(.installation) func `beyond the limits`() async throws {
        func services(_ numbers: ClosedRange<Int>) -> String {
            let services = numbers.map { #"{"identifier": "com.acme.web\#($0)"}"# }.joined(separator: ",")
            return Files.team(#""appIDs": [{"identifier": "com.acme.app", "serviceIDs": [\#(services)]}]"#)
        }
        #expect(try await pippin.apply(services(1...6)).refusedFields == ["teams[0].appIDs[0].serviceIDs[5]"])
        #expect(try await pippin.apply(services(1...5)).outcome == .applied)

        let sixth = try await pippin.apply(services(6...6))
        let instead = try await pippin.apply(services(2...6)) { $0.prunes = true }

        #expect(sixth.refusedFields == ["teams[0].appIDs[0].serviceIDs[0]"])
        #expect(instead.outcome == .applied)
        #expect(try pippin.count("service_ids") == 5)
    }

    @Test(.installation) func `with a third active key`() async throws {
        let keys = (1...3).map { number in
            let pem = Files.escaped(P256SigningKey.generate().publicKey.pem)
            return #"{"id": "ACMEKEY00\#(number)", "appID": "com.acme.app", "publicKeyPEM": "\#(pem)"}"#
        }
        func text(_ keys: some Sequence<String>) -> String {
            Files.team(#""appIDs": [{"identifier": "com.acme.app"}], "keys": [\#(keys.joined(separator: ","))]"#)
        }

        #expect(try await pippin.apply(text(keys)).refusedFields == ["teams[0].keys[2].appID"])
        #expect(try await pippin.apply(text(keys.prefix(2))).outcome == .applied)
        #expect(try await pippin.apply(text(keys.suffix(1))).refusedFields == ["teams[0].keys[0].appID"])
        let rotated = try await pippin.apply(text(keys.suffix(2))) { $0.prunes = true }
        #expect(rotated.outcome == .applied)
        #expect(rotated.teams.first?.lines.map { $0.prefix(16) } == ["- key ACMEKEY001", "+ key ACMEKEY003"])
        let revoked = try await pippin.apply(text(keys.prefix(1)))
        #expect(revoked.refusedFields == ["teams[0].keys[0].id"])
    }

    @Test(.acme) func `when a known key has another public half or App ID`() async throws {
        let other = Files.escaped(P256SigningKey.generate().publicKey.pem)
        let text = Files.team(
            """
            "appIDs": [{"identifier": "com.acme.tv", "serviceIDs": [{"identifier": "com.acme.web"}]}],
            "keys": [{"id": "ACMEKEY001", "appID": "com.acme.tv", "publicKeyPEM": "\(other)"}]
            """)

        let report = try await pippin.apply(text)

        #expect(
            report.refusedFields == [
                "teams[0].appIDs[0].serviceIDs[0]", "teams[0].keys[0].appID", "teams[0].keys[0].publicKeyPEM",
            ])
    }

    @Test(.acme) func `when a production team would keep loopback addresses`() async throws {
        let silent = try await pippin.apply(Files.team(#""mode": "production""#))
        let open = try await pippin.apply(Files.whole(mode: "production"))

        #expect(silent.refusedFields == ["teams[0].mode", "teams[0].mode"])
        #expect(
            open.refusedFields == [
                "teams[0].appIDs[0].notificationURL", "teams[0].appIDs[0].serviceIDs[0].domains[0]",
                "teams[0].appIDs[0].serviceIDs[0].returnURLs[0]",
            ])
        #expect(try pippin.value("SELECT mode FROM teams WHERE team_id = 'ACMETEAM01'") == "sandbox")
    }

    @Test(.installation) func `for a team that cannot be`() async throws {
        for id in ["PIPPIN0000", "acmeteam01", "ACME", ""] {
            let report = try await pippin.apply(Files.team(#""name": "Acme""#, id: id))

            #expect(report.refusedFields == ["teams[0].id"], "\(id)")
        }
    }

    @Test(.acme) func `for a team that was deleted`() async throws {
        try pippin.markDeleted(.acme)

        let report = try await pippin.apply(Files.whole) { $0.isDryRun = true }
        #expect(report.refusedFields == ["teams[0].id"])
    }
}
