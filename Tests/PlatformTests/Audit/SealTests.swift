import Crypto
import Testing

@testable import Platform

@Suite struct `The seals of the audit log` {
    @Test func `follow one another, and a log that nobody touched is whole`() async throws {
        try await withSealed { sealed in
            let head = try #require(try await sealed.verification.verify(in: .acme).head)
            #expect(head.position == 10)
            #expect(try sealed.environment.count("audit_unsealed", in: .acme) == 0)

            try await sealed.environment.record(AuditEnvironment.event())
            let next = try #require(try await sealed.seals.seal(in: .acme))
            #expect(next.position == 11 && next.codeText != head.codeText)
            #expect(try await sealed.seals.seal(in: .acme) == nil)
            #expect(try await sealed.findings().isEmpty)
        }
    }

    @Test func `V48: tell every changed event by its name`() async throws {
        try await withSealed { sealed in
            let changes = [
                "action = 'app_id.created'", "actor = 'someone'", "target = 'com.rival.app'", "outcome = 'refused'",
                "ip = '192.0.2.1'", "user_agent = NULL", "after = '{}'", "before = '{\"a\": 1}'",
                "actor_kind = 'person'", "request_id = ''",
            ]
            let places = try (1...changes.count).map(sealed.place)
            for (change, place) in zip(changes, places) {
                try sealed.environment.admin("UPDATE audit_events SET \(change) WHERE event_id = $1", place.id)
            }

            #expect(try await sealed.findings() == places.map { AuditFinding(.changed, $0) }, "\(changes)")
        }
    }

    @Test func `V48: tell where events and seals are missing, and where there are too many`() async throws {
        try await withSealed { sealed in
            let place = try sealed.place(4)
            let planted = """
                INSERT INTO audit_events (
                    team_id, at, event_id, actor_kind, actor, action, target_kind, target, outcome
                ) VALUES ('ACMETEAM01', now(), 'planted', 'system', 'x', 'a.b', 'thing', 'x', 'succeeded')
                """
            let cases: [(String, statements: [String], findings: [AuditFinding.Kind], name: String)] = [
                ("removed", ["DELETE FROM audit_events WHERE event_id = '\(place.id)'"], [.removed], place.id),
                ("removed together with their seals", dropped("IN (4, 5)"), [.cut], "4–5"),
                ("the tail cut off", dropped("> 8"), [.cut], "9–10"),
                (
                    "removed before it was sealed", [planted, "DELETE FROM audit_events WHERE event_id = 'planted'"],
                    [.removed], "planted"
                ), ("written past the queue", [planted, "DELETE FROM audit_unsealed"], [.inserted], "planted"),
                ("dated back", [planted.replacing("now()", with: "timestamptz '2020-01-10'")], [.inserted], "planted"),
            ]
            let kept = try KeptLog(sealed.environment)
            try makeJanuary(sealed.environment)
            for (title, statements, kinds, name) in cases {
                for statement in statements { try sealed.environment.admin(statement) }
                try await sealed.seals.seal(in: .acme)

                let findings = try await sealed.findings()
                #expect(findings.map(\.kind) == kinds, "\(title)")
                #expect(findings.map { $0.place?.id ?? $0.detail } == [name], "\(title)")
                try kept.putBack()
                #expect(try await sealed.findings().isEmpty)
            }
        }
    }

    @Test func `V48: tell a seal made with another key, and a key that is gone`() async throws {
        try await withSealed { sealed in
            let place = try sealed.place(4)
            let forger = KeyRing(current: try MasterKey.generate(id: "one"))
            let strangers = AuditVerificationStore(sealed.environment.database, keys: SealKeys(forger))
            #expect(try await strangers.verify(in: .acme).findings.count == 10)

            try sealed.environment.admin("UPDATE audit_seals SET code = sha256('x') WHERE position = 4")
            let findings = try await sealed.findings()
            #expect(findings.first == AuditFinding(.changed, place) && findings.count == 2)

            let other = KeyRing(current: try MasterKey.generate(id: "two"))
            let later = AuditVerificationStore(sealed.environment.database, keys: SealKeys(other))
            #expect(try await later.verify(in: .acme).findings == [AuditFinding(.key, detail: "one")])
        }
    }

    @Test func `go on after a change of the master key`() async throws {
        try await withSealed { sealed in
            let ring = KeyRing(current: try MasterKey.generate(id: "two"), older: sealed.ring.keys)
            try await sealed.environment.record(AuditEnvironment.event())
            try await AuditSealStore(sealed.environment.database, keys: SealKeys(ring)).seal(in: .acme)

            let store = AuditVerificationStore(sealed.environment.database, keys: SealKeys(ring))
            #expect(try await store.verify(in: .acme).findings.isEmpty)
        }
    }

    @Test func `outlive the deletion of a person`() async throws {
        try await withSealed { sealed in
            try sealed.environment.addPerson(AuditEnvironment.ben, "Ben", to: .acme)
            let target = AuditEvent.Target("user", AuditEnvironment.ben.rawValue)
            try await sealed.environment.record(AuditEnvironment.event("user.created", on: target))
            try await sealed.seals.seal(in: .acme)
            #expect(try sealed.environment.count("audit_people", in: .acme) == 1)

            try sealed.environment.removePeople()

            #expect(try sealed.environment.count("audit_people", in: .acme) == 0)
            #expect(try await sealed.findings().isEmpty)
        }
    }

    @Test func `are given by one at a time`() async throws {
        try await withSealed { sealed in
            try seedMany(1200, sealed.environment)
            let seals = sealed.seals

            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<6 { try await seals.seal(in: .acme) } } }
                try await group.waitForAll()
            }
            // Who finds another at it leaves the rest to it.
            while try await seals.seal(in: .acme) != nil {}

            let positions = try sealed.environment.admin(
                "SELECT count(*), max(position), count(DISTINCT event_id) FROM audit_seals")
            #expect(positions == [["1210", "1210", "1210"]])
        }
    }

    @Test func `are each team's own`() async throws {
        try await withSealed { sealed in
            try await sealed.environment.record(AuditEnvironment.event(), in: .rival)
            let head = try #require(try await sealed.seals.seal(in: .rival))
            try sealed.environment.admin("DELETE FROM audit_events WHERE team_id = 'ACMETEAM01'")

            #expect(head.position == 1)
            #expect(try await sealed.findings(in: .rival).isEmpty)
            #expect(try await sealed.findings().count == 10)
        }
    }
}
