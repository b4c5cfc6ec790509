import Core
import Crypto
import Platform
import Postgres
import Testing

@testable import Directory

@Suite struct `Sessions` {
    @Test func `begin with a sign-in, and the browser's token finds the person`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test, at: .noon)

            let sent = try #require(SessionToken(text: token.text))
            let session = try #require(try await environment.sessions.find(sent, in: .acme, at: .noon))
            #expect(session.user.subject == ada)
            #expect(session.startedAt == Timestamp.noon)
            #expect(session.user.lastSignInAt == Timestamp.noon)
            #expect(try environment.actions() == ["sign_in.completed"])
        }
    }

    @Test func `tell the audit log which app they were begun for`() async throws {
        try await withAda { environment, ada in
            _ = try await environment.sessions.begin(for: ada, to: .app, in: .acme, from: .test)

            let apps = try environment.admin(
                "SELECT target_kind, target FROM audit_events WHERE action = 'sign_in.completed'")
            #expect(apps == [["client", "com.acme.app"]])
        }
    }

    @Test func `are new at every sign-in, and the browser's old one ends`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            let old = try await environment.sessions.begin(for: ben, in: .acme, from: .test)

            let new = try await environment.sessions.begin(for: ada, in: .acme, from: .test, replacing: old)

            #expect(new.text != old.text)
            #expect(try await environment.sessions.find(old, in: .acme) == nil)
            #expect(try await environment.sessions.find(new, in: .acme)?.user.subject == ada)
        }
    }

    @Test func `V57: are known to the database by hash alone`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let bytes = try #require(Base64URL.decode(token.text))

            let stored = try environment.admin("SELECT encode(token_hash, 'hex') FROM sessions")

            #expect(bytes.count == 32)
            #expect(stored == [[Hex.encode(SHA256.hash(bytes))]])
            #expect(!"\(token)".contains(token.text))
            #expect(!String(reflecting: token).contains(token.text))
        }
    }

    @Test func `V30: end with any bit of the token changed or missing`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let bytes = try #require(Base64URL.decode(token.text))
            var others = [token.text + "=", token.text + "A", String(token.text.dropLast()), "", " " + token.text]
            for bit in stride(from: 0, to: 256, by: 7) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                others.append(Base64URL.encode(changed))
            }

            for other in others {
                guard let token = SessionToken(text: other) else { continue }
                #expect(try await environment.sessions.find(token, in: .acme) == nil)
            }
        }
    }

    @Test func `last thirty days, and seven without use`() async throws {
        try await withAda { environment, ada in
            let day = Duration.seconds(86_400)
            func lives(_ token: SessionToken, _ days: Int, _ seconds: Int = 0) async throws -> Bool {
                let moment = Timestamp.noon + day * days + .seconds(seconds)
                return try await environment.sessions.find(token, in: .acme, at: moment) != nil
            }
            let idle = try await environment.sessions.begin(for: ada, in: .acme, from: .test, at: .noon)
            let used = try await environment.sessions.begin(for: ada, in: .acme, from: .test, at: .noon)

            #expect(try await !lives(idle, 7))
            for days in stride(from: 6, through: 24, by: 6) { #expect(try await lives(used, days)) }
            #expect(try await lives(used, 30, -1))
            #expect(try await !lives(used, 30))
        }
    }

    @Test func `are marked as seen at most every five minutes`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test, at: .noon)
            func seen(after seconds: Int) async throws -> Duration {
                let moment = Timestamp.noon + .seconds(seconds)
                _ = try await environment.sessions.find(token, in: .acme, at: moment)
                let list = try await environment.sessions.list(of: ada, in: .acme, at: moment)
                return try #require(list.first).lastSeenAt - Timestamp.noon
            }

            #expect(try await seen(after: 300) == .zero)
            #expect(try await seen(after: 301) == .seconds(301))
            #expect(try await seen(after: 600) == .seconds(301))
            #expect(try await seen(after: 602) == .seconds(602))
        }
    }

    @Test func `of a suspended person find nobody`() async throws {
        try await withAda { environment, ada in
            let token = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            try environment.admin("UPDATE users SET suspended_at = now()")

            let session = try await environment.sessions.find(token, in: .acme)

            #expect(session == nil)
        }
    }

    @Test func `cannot begin for a person who is gone, and leave no event`() async throws {
        try await withEnvironment { environment in
            let nobody = Subject(hexadecimal: "0")

            await #expect(throws: PostgresFailure.self) {
                _ = try await environment.sessions.begin(for: nobody, in: .acme, from: .test)
            }

            let actions = try environment.actions()
            #expect(actions.isEmpty)
        }
    }

    @Test func `live on under a new token when renewed`() async throws {
        try await withAda { environment, ada in
            let old = try await environment.sessions.begin(for: ada, in: .acme, from: .test)

            let new = try #require(try await environment.sessions.renew(old, in: .acme))

            #expect(try await environment.sessions.find(old, in: .acme) == nil)
            #expect(try await environment.sessions.find(new, in: .acme)?.user.subject == ada)
            #expect(try await environment.sessions.renew(old, in: .acme) == nil)
        }
    }

    @Test func `end one by one or all but one`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            var ids: [SessionID] = []
            for person in [ada, ada, ada, ada, ben] {
                let token = try await environment.sessions.begin(for: person, in: .acme, from: .test)
                ids.append(try #require(try await environment.sessions.find(token, in: .acme)).id)
            }
            let named = try #require(SessionID(text: ids[0].text))

            let first = try await environment.sessions.end(named, of: ada, in: .acme, by: .person(ada), from: .test)
            let others = try await environment.sessions.endAll(
                of: ada, except: ids[1], in: .acme, by: .person(ada), from: .test)

            #expect(first)
            #expect(others == 2)
            #expect(try await environment.sessions.list(of: ada, in: .acme, at: .now()).map(\.id) == [ids[1]])
            #expect(try await environment.sessions.list(of: ben, in: .acme, at: .now()).map(\.id) == [ids[4]])
            #expect(try environment.actions().suffix(2) == ["session.ended", "sessions.ended"])
        }
    }

    @Test func `of the system team are recorded as a member's`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada", to: .system)

            _ = try await environment.sessions.begin(for: ada, in: .system, from: .test)

            let events = try environment.admin("SELECT actor_kind FROM audit_events WHERE action = 'sign_in.completed'")
            #expect(events == [["member"]])
        }
    }
}

/// Sessions of proofs that were kept until then.
@Suite struct SessionBeginningTests {
    @Test func `begin with the proofs they take, or not at all`() async throws {
        try await withAda { environment, ada in
            let old = try await environment.sessions.begin(for: ada, in: .acme, from: .test)
            let beginning = SessionStore.Beginning(
                of: ada, by: [.password], to: nil, from: .test, replacing: old, at: .noon)

            let taken = try await environment.sessions.begin(
                beginning, taking: SessionStore.Proofs(takenBy: "SELECT '' AS sub WHERE false"), in: .acme)
            #expect(taken == nil)
            #expect(try await environment.sessions.find(old, in: .acme) != nil)
            #expect(try environment.actions() == ["sign_in.completed"])

            let new = try await environment.sessions.begin(
                beginning, taking: SessionStore.Proofs(takenBy: "SELECT \(ada)::text AS sub"), in: .acme)
            #expect(try await environment.sessions.find(try #require(new), in: .acme, at: .noon)?.user.subject == ada)
            #expect(try await environment.sessions.find(old, in: .acme) == nil)
        }
    }
}
