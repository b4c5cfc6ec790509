import Core
import Crypto
import Platform
import Testing

@testable import Accounts
@testable import TestTeams

@Suite struct `The export of a person` {
    private func export(_ engine: Engine, for reader: PersonExportStore.Reader, in team: TeamID = .acme) async throws
        -> PersonExport?
    {
        try await PersonExportStore(engine.database).begin(
            engine.ada, in: team, for: reader, by: .person(engine.ada), from: .test)
    }

    /// Ada's sign-ins and events, as many as nobody has.
    private func grow(_ engine: Engine) throws {
        try engine.addSignIns(45, steps: 1000)
        try engine.admin(
            """
            INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome, user_agent)
            SELECT 'ACMETEAM01', now() + (n / 2) * interval '1 s', 'person', $1, 'user.exported', 'user', $1,
                'succeeded', repeat('a', 400)
            FROM generate_series(1, 900) n
            """, engine.ada.rawValue)
        try engine.admin(
            """
            INSERT INTO sessions (
                team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent
            )
            SELECT 'ACMETEAM01', int4send(n), $1, now(), now(), now() + interval '1 day', '', ''
            FROM generate_series(1, 1500) n
            """, engine.ada.rawValue)
    }

    @Test func `V42, V55: is made page by page, and each list in it has an end`() async throws {
        try await withEngine { engine in
            try grow(engine)
            let before = try engine.actions().count
            let document = try #require(try await export(engine, for: .person))
            let pieces = try await document.pieces()

            #expect(pieces.allSatisfy { $0.count < 500_000 } && pieces.count > 6)
            let json = try JSON.decode(JSONValue.self, from: Array(pieces.joined()))
            let traces = try #require(json["signIns"]?.elements)
            #expect(traces.count == 45)
            #expect(traces.last?["steps"]?.elements.count == TraceDetailStore.eventLimit + 1)
            #expect(json["sessions"]?.elements.count == PersonExportStore.shortLimit)
            // Events of one moment are told apart, and none twice.
            let history = try #require(json["history"]?.elements)
            #expect(history.count >= 901 && history.count <= before + 901)
            #expect(history.map { $0["at"]?.string ?? "" } == history.map { $0["at"]?.string ?? "" }.sorted(by: >))
        }
    }

    @Test func `V45: for the person themselves has nothing of members and of apps' servers`() async throws {
        try await withEngine { engine in
            try engine.admin(
                """
                INSERT INTO audit_events (
                    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent, after
                ) VALUES
                    ('ACMETEAM01', now(), 'member', 'cleo', 'user.suspended', 'user', $1, 'succeeded', '198.51.100.9',
                        'Member/1.0', '{"reason": "fraud, police asked"}'),
                    ('ACMETEAM01', now(), 'member', 'cleo', 'user.exported', 'user', $1, 'succeeded', '198.51.100.9',
                        'Member/1.0', NULL),
                    ('ACMETEAM01', now(), 'person', $1, 'password.changed', 'user', $1, 'succeeded', '203.0.113.77',
                        'Own/1.0', '{"reason": "asked for"}')
                """, engine.ada.rawValue)
            try engine.admin(
                """
                INSERT INTO traces (team_id, trace_id, client_id, sub, outcome, cause, opening)
                VALUES ('ACMETEAM01', repeat('0', 28), 'com.acme.web', $1, 'failed', 'secret_expired',
                    '{"kind":"authorization","at":1,"ip":"203.0.113.78","known":["redirect_uri","https://r.example"]}')
                """, engine.ada.rawValue)
            try engine.admin(
                """
                INSERT INTO trace_events (team_id, trace_id, at, kind, event) VALUES
                    ('ACMETEAM01', repeat('0', 28), now(), 'token_refused',
                        '{"kind":"token_refused","at":2,"ip":"198.51.100.10","sent":["client_secret.iss","TEAM000001"]}')
                """)
            let secrets = [
                "198.51.100.9", "Member/1.0", "fraud", "198.51.100.10", "TEAM000001", "r.example", "secret_expired",
            ]
            func text(_ reader: PersonExportStore.Reader) async throws -> String {
                let document = try #require(try await export(engine, for: reader))
                return String(decoding: try await document.whole(), as: UTF8.self)
            }
            let (own, whole) = (try await text(.person), try await text(.team))
            #expect(secrets.filter { own.contains($0) } == [] && secrets.filter { !whole.contains($0) } == [])
            for word in ["user.suspended", "203.0.113.77", "Own/1.0", "asked for", "203.0.113.78"] {
                #expect(own.contains(word), "\(word)")
            }
            // Their own copies are told, and the team's are not.
            #expect(own.ranges(of: "user.exported").count == 1 && whole.ranges(of: "user.exported").count == 3)
        }
    }
}

@Suite struct `Sign-ins of a person who is gone` {
    private func delete(_ engine: Engine) async throws {
        let deletion = AccountDeletion(engine.database, random: .system)
        let receipt = try await deletion.delete(engine.ada, in: .acme, by: .person(engine.ada), from: .test)
        #expect(receipt != nil)
    }

    private func left(_ engine: Engine, _ table: String) throws -> Int {
        try engine.admin("SELECT FROM \(table) WHERE team_id = 'ACMETEAM01'").count
    }

    @Test func `V42, V43: go in pieces, the first at once and the rest by a job`() async throws {
        try await withEngine { engine in
            try engine.addSignIns(1700, steps: 5001)
            try await delete(engine)

            // The person is gone whatever is left of the sign-ins.
            #expect(try engine.admin("SELECT FROM users WHERE sub = $1", engine.ada.rawValue).isEmpty)
            #expect(try left(engine, "trace_events") == 0)
            #expect(try left(engine, "traces") == 200)
            let jobs = try engine.admin(
                "SELECT payload->>'person', payload->>'last' FROM jobs WHERE kind = 'person.traces'")
            let last = try #require(jobs.first?[1])
            #expect(jobs.count == 1 && jobs[0][0] == engine.ada.rawValue)

            // Whoever comes by way of Apple has the same sub again.
            try engine.admin(
                """
                INSERT INTO traces (team_id, trace_id, sub, outcome, opening)
                VALUES ('ACMETEAM01', repeat('f', 28), $1, 'open', '{}')
                """, engine.ada.rawValue)
            let traces = UserTraces(engine.database)
            try await traces.removeAll(of: engine.ada, until: last, in: .rival)
            #expect(try left(engine, "traces") == 201)
            try await traces.removeAll(of: engine.ada, until: last, in: .acme)
            #expect(try left(engine, "traces") == 1)
        }
    }

    @Test func `leave no job where there are few`() async throws {
        try await withEngine { engine in
            try engine.addSignIns(3, steps: 5001)
            try await delete(engine)
            #expect(try left(engine, "traces") == 0 && left(engine, "trace_events") == 0)
            #expect(try engine.admin("SELECT FROM jobs WHERE kind = 'person.traces'").isEmpty)
        }
    }
}

extension Engine {
    /// So many sign-ins of Ada's, the first of which has so many steps.
    fileprivate func addSignIns(_ count: Int, steps: Int) throws {
        try admin(
            """
            INSERT INTO traces (team_id, trace_id, sub, outcome, opening)
            SELECT 'ACMETEAM01', lpad(to_hex(n), 28, '0'), $1, 'answered', '{"kind":"authorization","at":1}'
            FROM generate_series(1, $2::int) n
            """, ada.rawValue, String(count))
        try admin(
            """
            INSERT INTO trace_events (team_id, trace_id, at, kind, event)
            SELECT 'ACMETEAM01', lpad('1', 28, '0'), now() + n * interval '1 s', 'proved', '{"kind":"proved","at":2}'
            FROM generate_series(1, $1::int) n
            """, String(steps))
    }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
