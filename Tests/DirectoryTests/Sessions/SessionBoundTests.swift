import Core
import Platform
import Postgres
import Testing

@testable import Directory

@Suite struct `The sessions of one person` {
    @Test func `V43: are two hundred at most, the new one among them, and nobody else's end`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            try environment.addPerson(ada, to: .rival)
            for person in [ada, ben] { try environment.addSessions(300, of: person) }
            try environment.addSessions(300, of: ada, in: .rival)

            let first = try await environment.begin(for: ada)
            #expect(try environment.sessionCount(of: ada) == "200")
            let second = try await environment.begin(for: ada, replacing: first)
            #expect(try environment.sessionCount(of: ada) == "200", "one went, one came")

            let session = try await environment.sessions.find(second, in: .acme, at: .noon)
            #expect(session?.user.subject == ada)
            let oldest =
                "SELECT FROM sessions WHERE team_id = 'ACMETEAM01' AND sub = $1 AND created_at < $2::timestamptz"
            let kept = TestEnvironment.longAgo + .seconds(102)
            #expect(try environment.admin(oldest, ada.rawValue, kept.description).isEmpty, "the oldest end")
            #expect(try environment.sessionCount(of: ben) == "300")
            #expect(try environment.sessionCount(of: ada, in: .rival) == "300")
            #expect(try environment.actions() == ["sign_in.completed", "sign_in.completed"])
        }
    }

    @Test func `V67: are a hundred in a quarter of an hour without a password, by whatever factor`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            func begin(_ subject: Subject, _ factor: ProofMethod) async throws {
                let beginning = SessionStore.Beginning(
                    of: subject, by: [factor], to: nil, from: .test, replacing: nil, at: .noon)
                let proofs = SessionStore.Proofs(takenBy: "SELECT \(subject)::text AS sub")
                _ = try await environment.sessions.begin(beginning, taking: proofs, in: .acme)
            }
            for number in 0..<100 { try await begin(ada, number % 2 == 0 ? .passkey : .mailedLink) }

            await #expect(throws: TooManyRequests.self) { try await begin(ada, .passkey) }
            #expect(try environment.actions().count == 100)
            // Passwords are counted where they are tried.
            try await begin(ada, .password)
            try await begin(ben, .passkey)
        }
    }

    @Test func `V43: end a thousand at a time where there are very many`() async throws {
        try await withAda { environment, ada in
            try environment.addSessions(2500, of: ada)
            for left in ["1501", "502", "200", "200"] {
                _ = try await environment.begin(for: ada)
                #expect(try environment.sessionCount(of: ada) == left)
            }
        }
    }

    @Test func `V43: that somebody holds keep no sign-in waiting`() async throws {
        try await withAda { environment, ada in
            try environment.addSessions(300, of: ada)
            let holder = try AdminConnection(to: environment.conninfo)
            try holder.execute("BEGIN")
            try holder.execute("SELECT FROM sessions FOR UPDATE")
            _ = try await environment.begin(for: ada)
            try holder.execute("COMMIT")
            #expect(try environment.sessionCount(of: ada) == "301")
            _ = try await environment.begin(for: ada)
            #expect(try environment.sessionCount(of: ada) == "200")
        }
    }
}

extension TestEnvironment {
    fileprivate func begin(for subject: Subject, replacing old: SessionToken? = nil) async throws -> SessionToken {
        try await sessions.begin(for: subject, in: .acme, from: .test, replacing: old, at: .noon)
    }

    fileprivate static let longAgo = Timestamp.noon - .seconds(100_000_000)

    /// Begins so many, one a second, years before `noon`.
    fileprivate func addSessions(_ count: Int, of subject: Subject, in team: TeamID = .acme) throws {
        try admin(
            """
            INSERT INTO sessions (
                team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent
            )
            SELECT $1, sha256(convert_to($2::text || ' ' || n, 'UTF8')), $2::text,
                $4::timestamptz + n * interval '1 s', $4::timestamptz + n * interval '1 s',
                $4::timestamptz + interval '5 years', '', ''
            FROM generate_series(1, $3::integer) AS n
            """, team.rawValue, subject.rawValue, "\(count)", Self.longAgo.description)
    }

    fileprivate func sessionCount(of subject: Subject, in team: TeamID = .acme) throws -> String? {
        try admin(
            "SELECT count(*)::text FROM sessions WHERE team_id = $1 AND sub = $2", team.rawValue, subject.rawValue)[0][
                0]
    }
}
