import Synchronization
import Testing

@testable import Platform

/// What somebody can do to a log who has the database alone, and waits for the retention to make it good.
@Suite struct `The retention of a log that was changed` {
    /// What was done, and what is found of it first.
    private struct Change {
        let name: String
        let statements: [String]
        let found: AuditFinding.Kind
    }

    private static let changes = [
        // Seals 601 to 610 are of today's events.
        Change(
            name: "young events deleted, their seals dated back",
            statements: [
                "DELETE FROM audit_events USING audit_seals s WHERE audit_events.event_id = s.event_id AND s.position > 600",
                "UPDATE audit_seals SET at = timestamptz '2020-01-11' + position * interval '1 s' WHERE position > 600",
            ], found: .removed),
        Change(
            name: "young events and their seals dated back",
            statements: [
                "ALTER TABLE audit_events DISABLE TRIGGER USER",
                """
                UPDATE audit_events e SET at = timestamptz '2020-01-11' + s.position * interval '1 s'
                FROM audit_seals s WHERE e.event_id = s.event_id AND s.position > 600
                """,
                "UPDATE audit_seals SET at = timestamptz '2020-01-11' + position * interval '1 s' WHERE position > 600",
            ], found: .changed),
        Change(
            name: "an old event changed", statements: ["UPDATE audit_events SET actor = 'y' WHERE target = 'old7'"],
            found: .changed),
        Change(
            name: "an old event deleted", statements: ["DELETE FROM audit_events WHERE target = 'old7'"],
            found: .removed),
        Change(name: "an old seal dropped with its event", statements: dropped("= 7"), found: .cut),
        Change(name: "the first seals dropped with their events", statements: dropped("< 7"), found: .cut),
        Change(
            name: "two seals changed places",
            statements: [
                "UPDATE audit_seals SET position = 9007 WHERE position = 7",
                "UPDATE audit_seals SET position = 7 WHERE position = 8",
                "UPDATE audit_seals SET position = 8 WHERE position = 9007",
            ], found: .changed),
        Change(
            name: "a code copied over the next",
            statements: [
                "UPDATE audit_seals b SET code = a.code FROM audit_seals a WHERE a.position = 7 AND b.position = 8"
            ], found: .changed),
        Change(
            name: "a key named that nobody has",
            statements: ["UPDATE audit_seals SET key_id = 'lost', code = sha256('x') WHERE position = 7"], found: .key),
        Change(
            name: "a checkpoint made up",
            statements: [
                """
                INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
                SELECT team_id, position, code, at, now(), key_id, code FROM audit_seals WHERE position = 6
                """
            ] + dropped("< 7"), found: .checkpoint),
        Change(
            name: "a checkpoint at the end of all numbers",
            statements: [
                """
                INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
                SELECT team_id, 9223372036854775807, code, at, now(), key_id, code FROM audit_seals WHERE position = 6
                """
            ], found: .checkpoint),
    ]

    @Test func `S12, V48: stops before it signs, tells what was done, and tells it again`() async throws {
        try await withSealed { sealed in
            let environment = sealed.environment
            try makeOldEvents(environment)
            try environment.keepEvents(30)
            try await sealed.rounds.seal { _ in }
            let kept = try KeptLog(environment)
            let before = try state(environment)

            for change in Self.changes {
                for statement in change.statements { try environment.admin(statement) }
                let changed = try state(environment)
                let alarms = Alarms()

                try await sealed.rounds.applyRetention { alarms.append($0, $1) }
                try await sealed.rounds.applyRetention { alarms.append($0, $1) }

                #expect(alarms.all.map(\.team) == [TeamID.acme, TeamID.acme], "\(change.name)")
                #expect(alarms.all.first?.findings.first?.kind == change.found, "\(change.name)")
                // Young events that were made old may wait for a later batch; what was whole before may be gone by then.
                let after = try state(environment)
                if change.name.hasPrefix("young") {
                    #expect(after.checkpoint == "600" && after.seals == "10", "\(change.name)")
                } else {
                    #expect(after == changed, "\(change.name)")
                }
                #expect(try await sealed.findings().contains { $0.kind == change.found }, "\(change.name)")
                let shown = try await AuditChainStore(environment.database).find(in: .acme).findings
                #expect(shown.contains { $0.kind == change.found }, "\(change.name)")
                let told = try environment.admin(
                    "SELECT count(*) FROM audit_events WHERE action = 'audit_log.verified' AND outcome = 'refused'")
                #expect(told == [["1"]], "\(change.name)")

                try kept.putBack()
                #expect(try state(environment) == before)
            }
        }
    }

    @Test func `V39, V48: a chain at the end of all numbers is told, and the others are sealed`() async throws {
        try await withSealed { sealed in
            let end = "9223372036854775807"
            try sealed.environment.admin("UPDATE audit_seals SET position = \(end) WHERE position = 10")
            try sealed.environment.admin("UPDATE audit_chains SET position = \(end) WHERE team_id = 'ACMETEAM01'")
            #expect(try await sealed.findings().contains { $0.kind == .cut })

            try await sealed.environment.record(AuditEnvironment.event())
            try await sealed.environment.record(AuditEnvironment.event(), in: .rival)
            await #expect(throws: (any Error).self) { try await sealed.rounds.seal { _ in } }
            #expect(try sealed.environment.count("audit_seals", in: .rival) == 1)
        }
    }

    @Test func `V43: of a team that writes as fast as it is sealed keeps no other team waiting`() async throws {
        try await withSealed { sealed in
            try makeOldEvents(sealed.environment)
            try await sealed.environment.record(AuditEnvironment.event(), in: .rival)
            let rounds = AuditRounds(
                sealed.environment.database, system: sealed.environment.system, keys: sealed.keys, turn: 1)
            try await rounds.seal { _ in }
            #expect(try sealed.environment.count("audit_seals", in: .acme) == AuditSealStore.batch)
            #expect(try sealed.environment.count("audit_seals", in: .rival) == 1)
            for _ in 0..<6 { try await rounds.seal { _ in } }
            #expect(try sealed.environment.count("audit_seals", in: .acme) == 610)
        }
    }

    @Test func `S12: of one team is not another's`() async throws {
        try await withSealed { sealed in
            try makeOldEvents(sealed.environment)
            try sealed.environment.keepEvents(30)
            try sealed.environment.admin(
                """
                INSERT INTO audit_events (team_id, at, actor_kind, actor, action, target_kind, target, outcome)
                SELECT 'RIVALTEAM1', timestamptz '2020-01-10' + n * interval '1 s', 'system', 'x', 'a.b', 'thing',
                    'x', 'succeeded'
                FROM generate_series(1, 20) AS n
                """)
            try await sealed.rounds.seal { _ in }
            try sealed.environment.admin("DELETE FROM audit_events WHERE target = 'old7'")
            let alarms = Alarms()

            try await sealed.rounds.applyRetention { alarms.append($0, $1) }

            #expect(alarms.all.map(\.team) == [TeamID.acme])
            #expect(try sealed.environment.count("audit_seals", in: .rival) == 0)
            #expect(try await sealed.findings(in: .rival).isEmpty)
        }
    }

    private struct State: Equatable {
        let events: String?
        let seals: String?
        let checkpoint: String?
    }

    private func state(_ environment: AuditEnvironment) throws -> State {
        let row = try environment.admin(
            """
            SELECT (SELECT count(*) FROM audit_events WHERE action <> 'audit_log.verified'),
                (SELECT count(*) FROM audit_seals), (SELECT max(position) FROM audit_checkpoints)
            """)[0]
        return State(events: row[0], seals: row[1], checkpoint: row[2])
    }
}

/// What was told of which team.
private final class Alarms: Sendable {
    private let alarms = Mutex<[(team: TeamID, findings: [AuditFinding])]>([])

    func append(_ team: TeamID, _ findings: [AuditFinding]) { alarms.withLock { $0.append((team, findings)) } }

    var all: [(team: TeamID, findings: [AuditFinding])] { alarms.withLock { $0 } }
}
