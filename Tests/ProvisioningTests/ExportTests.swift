import Domain
import Provisioning
import Registry
import Testing

@Suite struct `An export` {
    @Test func `applied again changes nothing`() async throws {
        try await Installation.with { pippin in
            try await pippin.apply(Files.whole)
            let text = try await pippin.export()

            #expect(try await pippin.apply(text).outcome == .unchanged)
            #expect(try await pippin.apply(text, { $0.prunes = true }).outcome == .unchanged)
            #expect(try await pippin.apply(text, { $0.resetsCredentials = true }).outcome == .unchanged)
            #expect(try await pippin.export() == text)
        }
    }

    @Test func `makes the same team in another installation`() async throws {
        try await Installation.with { pippin in
            try await pippin.apply(Files.whole)
            let text = try await pippin.export()

            try await Installation.with { other in
                let report = try await other.apply(text)

                #expect(report.outcome == .applied)
                #expect(try await other.export() == text)
            }
        }
    }

    @Test func `holds public keys and no secrets`() async throws {
        try await Installation.with { pippin in
            try await pippin.apply(Files.whole)

            let text = try await pippin.export()

            #expect(text.contains("BEGIN PUBLIC KEY"))
            #expect(text.contains(#""returnURLs" : ["#))
            #expect(!text.contains("password"))
            #expect(!text.contains("$argon2id$"))
            #expect(!text.contains("PRIVATE"))
        }
    }

    @Test func `leaves out revoked keys`() async throws {
        try await Installation.with { pippin in
            try await pippin.apply(Files.whole)
            try await pippin.apply(Files.team(#""keys": []"#)) { $0.prunes = true }

            let text = try await pippin.export()

            #expect(!text.contains("ACMEKEY001"))
            #expect(try await pippin.apply(text).outcome == .unchanged)
        }
    }

    @Test func `of a team that is not there is nothing`() async throws {
        try await Installation.with { pippin in
            let exports = [
                try await pippin.provisioner.export(Installation.acme),
                try await pippin.provisioner.export(.system),
            ]

            #expect(exports.allSatisfy { $0 == nil })
        }
    }
}
