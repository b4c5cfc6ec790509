import Accounts
import Platform
import Testing

@Suite struct `An export` {
    @Test(.acme) func `applied again changes nothing`() async throws {
        let text = try await pippin.export()

        #expect(try await pippin.apply(text).outcome == .unchanged)
        #expect(try await pippin.apply(text, { $0.prunes = true }).outcome == .unchanged)
        #expect(try await pippin.apply(text, { $0.resetsCredentials = true }).outcome == .unchanged)
        #expect(try await pippin.export() == text)
    }

    @Test(.acme) func `makes the same team in another installation`() async throws {
        let text = try await pippin.export()

        try await Installation.with { other in
            let report = try await other.apply(text)

            #expect(report.outcome == .applied)
            #expect(try await other.export() == text)
        }
    }

    @Test(.acme) func `holds public keys and no secrets`() async throws {
        let text = try await pippin.export()

        #expect(text.contains("BEGIN PUBLIC KEY"))
        #expect(text.contains(#""returnURLs" : ["#))
        #expect(!text.contains("password"))
        #expect(!text.contains("$argon2id$"))
        #expect(!text.contains("PRIVATE"))
    }

    @Test(.acme) func `holds the DKIM selectors of email sources, and a file changes them`() async throws {
        let text = try await pippin.export()
        #expect(text.contains("s2026") && text.contains("\"selectors\""))

        let left = Files.team(#""emailSources": [{"domain": "acme.example"}]"#)
        #expect(try await pippin.apply(left).outcome == .unchanged)
        let other = Files.team(#""emailSources": [{"domain": "acme.example", "selectors": ["s2027"]}]"#)
        let report = try await pippin.apply(other)

        #expect(report.teams.first?.lines == ["~ email source acme.example: selectors + s2027 - s2026 - mail"])
        let changed = try await pippin.export()
        #expect(changed.contains("s2027") && !changed.contains("s2026"))
        let wrong = Files.team(#""emailSources": [{"domain": "acme.example", "selectors": ["a b"]}]"#)
        #expect(try await pippin.apply(wrong).refusedFields == ["teams[0].emailSources[0].selectors[0]"])
    }

    @Test(.acme) func `holds the issuer of a bundle ID, and a file changes it`() async throws {
        let file = Files.team(#""appIDs": [{"identifier": "com.acme.app", "issuer": "apple"}]"#)

        let report = try await pippin.apply(file)

        #expect(report.teams.first?.lines == [#"~ App ID com.acme.app: issuer "own" → "apple""#])
        #expect(try await pippin.apply(file).outcome == .unchanged)
        #expect(try await pippin.export().contains(#""issuer" : "apple""#))
        #expect(try pippin.value("SELECT issuer FROM app_ids") == "apple")
    }

    @Test(.acme) func `leaves out revoked keys`() async throws {
        try await pippin.apply(Files.team(#""keys": []"#)) { $0.prunes = true }

        let text = try await pippin.export()

        #expect(!text.contains("ACMEKEY001"))
        #expect(try await pippin.apply(text).outcome == .unchanged)
    }

    @Test(.installation) func `O17: of many people is applied in both ways, and changes nothing`() async throws {
        let count = 2_100
        func file(_ family: String, from first: Int = 1) -> String {
            let people = (first...count).map {
                #"{"email": "p\#($0)@acme.example", "familyName": "\#(family)", "emailVerified": \#($0 % 2 == 0)}"#
            }
            return Files.team(#""users": [\#(people.joined(separator: ",\n"))]"#)
        }
        #expect(try await pippin.apply(file("Young")).teams.first?.lines.count == count + 1)
        #expect(try pippin.value("SELECT count(*) FROM users WHERE is_email_verified") == "\(count / 2)")
        let text = try await pippin.export()
        #expect(try await pippin.apply(text) { $0.prunes = true }.outcome == .unchanged)
        #expect(try await pippin.apply(file("Old")).teams.first?.lines.count == count)
        #expect(try await pippin.apply(file("Old")).outcome == .unchanged)
        try await Installation.with { other in
            let report = try await other.apply(text)
            #expect(report.outcome == .applied)
            #expect(try await other.export() == text)
        }
        let pruned = try await pippin.apply(file("Old", from: 3)) { $0.prunes = true }
        #expect(pruned.teams.first?.lines == ["- user p1@acme.example", "- user p2@acme.example"])
    }

    @Test(.installation) func `of a team that is not there is nothing`() async throws {
        for team in [TeamID.acme, .system] {
            #expect(try await !pippin.provisioner.export(team) { _ in Issue.record("there is something of \(team)") })
        }
    }
}
