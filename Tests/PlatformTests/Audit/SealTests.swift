import Core
import Crypto
import HTTP
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

    @Test func `V69: tell a name, an address or a network that was changed beside the log, and a name that is gone`()
        async throws
    {
        try await withSealed { sealed in
            let environment = sealed.environment
            try environment.addPerson(AuditEnvironment.ben, "Ben", to: .acme)
            try environment.addPerson(AuditEnvironment.ada, "Ada")
            try environment.admin(
                "INSERT INTO memberships (team_id, sub, role) VALUES ('ACMETEAM01', $1, 'admin')",
                AuditEnvironment.ada.rawValue)
            let target = AuditEvent.Target("user", AuditEnvironment.ben.rawValue)
            try await environment.record(AuditEnvironment.event("user.updated", on: target))
            try await sealed.seals.seal(in: .acme)
            #expect(try await sealed.findings().isEmpty)
            let (ben, ada) = ("person \(AuditEnvironment.ben)", "member \(AuditEnvironment.ada)")
            let place = try sealed.place(11)

            try environment.admin("CREATE TABLE kept AS SELECT team_id, kind, sub, name, email, salt FROM audit_people")
            let isBen = "WHERE kind = 'person'"
            let cases: [(String, AuditFinding)] = [
                ("UPDATE audit_people SET name = 'Eve' \(isBen)", .init(.personChanged, detail: ben)),
                ("UPDATE audit_people SET email = 'eve@acme.example' \(isBen)", .init(.personChanged, detail: ben)),
                ("UPDATE audit_people SET email = NULL \(isBen)", .init(.personChanged, detail: ben)),
                ("UPDATE audit_people SET salt = NULL \(isBen)", .init(.personChanged, detail: ben)),
                (
                    "UPDATE audit_people SET name = 'Eve', salt = 'x' WHERE kind = 'member'",
                    .init(.personChanged, detail: ada)
                ), ("DELETE FROM audit_people \(isBen)", .init(.personMissing, detail: ben)),
                ("DELETE FROM audit_people WHERE kind = 'member'", .init(.personMissing, detail: ada)),
                ("UPDATE audit_events SET ip_key = NULL WHERE event_id = '\(place.id)'", .init(.changed, place)),
                ("UPDATE audit_events SET ip_key = '\\x00' WHERE event_id = '\(place.id)'", .init(.changed, place)),
            ]
            for (statement, finding) in cases {
                try environment.admin(statement)
                #expect(try await sealed.findings() == [finding], "\(statement)")
                try environment.admin("DELETE FROM audit_people")
                try environment.admin("INSERT INTO audit_people (team_id, kind, sub, name, email, salt) TABLE kept")
                let key = "decode('00000000000000000000ffffcb007107', 'hex')"
                try environment.admin("UPDATE audit_events SET ip_key = \(key)")
                #expect(try await sealed.findings().isEmpty, "\(statement)")
            }
        }
    }

    @Test func `V69: tell nothing of a person who was renamed, or has been erased`() async throws {
        try await withSealed { sealed in
            let environment = sealed.environment
            let target = AuditEvent.Target("user", AuditEnvironment.ben.rawValue)
            try environment.addPerson(AuditEnvironment.ben, "Ben", to: .acme)
            // As the log was before it had digests.
            try await environment.record(AuditEnvironment.event("user.created", on: target))
            try environment.admin("UPDATE audit_people SET salt = NULL")
            for name in ["Ben", "Benedict", "Ben"] {
                try environment.admin("UPDATE users SET given_name = $1", name)
                try await environment.record(AuditEnvironment.event("user.updated", on: target))
                #expect(try await sealed.findings().isEmpty, "\(name)")
            }
            try environment.removePeople()
            #expect(try await sealed.findings().isEmpty)
            let digests = try environment.admin("SELECT count(*) FROM audit_events WHERE event_id LIKE '%.%'")
            #expect(digests == [["4"]])
        }
    }

    /// What an event weighs for as long as it is kept, with the indexes and its seal.
    @Test func `V67: and a completed sign-in take a kilobyte at most`() async throws {
        try await withSealed { sealed in
            let environment = sealed.environment
            let agent =
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
            let people = (0..<500).map { Subject(hexadecimal: "person \($0)") }
            for (number, person) in people.enumerated() {
                try environment.addPerson(person, "Person \(number)", to: .acme)
            }
            func size() throws -> Int {
                let size = try environment.admin(
                    """
                    SELECT pg_total_relation_size('audit_seals') + sum(pg_total_relation_size(relid))
                    FROM unnest('{audit_events,audit_words}'::regclass[]) AS parent, pg_partition_tree(parent)
                    """)[0][0]
                return try #require(size.flatMap { Int($0) })
            }
            let (count, app) = (4000, try #require(ClientID(rawValue: "com.acme.web")))
            let before = try size()
            for number in 0..<count {
                let origin = Origin(
                    ip: "198.51.\(number % 7).\(number % 251)", userAgent: agent,
                    requestID: RequestID(UInt64.random(in: 1 << 62..<1 << 63)).description)
                let event = AuditEvent(
                    AuditEvent.signInCompleted, by: .person(try #require(people.randomElement())), on: .client(app),
                    from: origin, after: ["factors": ["password"]])
                try await environment.record(event)
            }
            while try await sealed.seals.seal(in: .acme) != nil {}

            let bytes = (try size() - before) / count
            #expect(bytes <= 1024, "\(bytes)")
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
