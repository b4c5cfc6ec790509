import Bytes
import Crypto
import Domain
import Postgres
import Testing

@testable import Directory

@Suite struct `Sessions` {
    @Test func `begin with a sign-in, and the browser's token finds the person`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            let token = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )

            let sent = try #require(SessionToken(text: token.text))
            let session = try #require(try await world.sessions.find(sent, in: World.acme, at: World.noon))
            #expect(session.user.subject == ada)
            #expect(session.startedAt == World.noon)
            #expect(session.user.lastSignInAt == World.noon)
            #expect(try world.actions() == ["sign_in.completed"])
        }
    }

    @Test func `tell the audit log which app they were begun for`() async throws {
        try await withWorld { world in
            let ada = try await world.add("ada")
            _ = try await world.sessions.begin(for: ada, to: World.app, in: World.acme, from: World.origin)

            let apps = try world.admin(
                "SELECT after->>'app' FROM audit_events WHERE action = 'sign_in.completed'"
            )
            #expect(apps == [["com.acme.app"]])
        }
    }

    @Test func `are new at every sign-in, and the browser's old one ends`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let ben = try await world.add("Ben")
            let old = try await world.sessions.begin(for: ben, in: World.acme, from: World.origin)

            let new = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                replacing: old
            )

            #expect(new.text != old.text)
            #expect(try await world.sessions.find(old, in: World.acme) == nil)
            #expect(try await world.sessions.find(new, in: World.acme)?.user.subject == ada)
        }
    }

    @Test func `are known to the database by hash alone`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let bytes = try #require(Base64URL.decode(token.text))

            let stored = try world.admin("SELECT encode(token_hash, 'hex') FROM sessions")

            #expect(bytes.count == 32)
            #expect(stored == [[Hex.encode(SHA256.hash(bytes))]])
            #expect(!"\(token)".contains(token.text))
            #expect(!String(reflecting: token).contains(token.text))
        }
    }

    @Test func `V30: end with any bit of the token changed or missing`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let bytes = try #require(Base64URL.decode(token.text))
            var others = [
                token.text + "=", token.text + "A", String(token.text.dropLast()), "", " " + token.text,
            ]
            for bit in stride(from: 0, to: 256, by: 7) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                others.append(Base64URL.encode(changed))
            }

            for other in others {
                guard let token = SessionToken(text: other) else { continue }
                #expect(try await world.sessions.find(token, in: World.acme) == nil)
            }
        }
    }

    @Test func `last thirty days, and seven without use`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let day = Duration.seconds(86_400)
            func lives(_ token: SessionToken, _ days: Int, _ seconds: Int = 0) async throws -> Bool {
                let moment = World.noon + day * days + .seconds(seconds)
                return try await world.sessions.find(token, in: World.acme, at: moment) != nil
            }
            let idle = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )
            let used = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )

            #expect(try await !lives(idle, 7))
            for days in stride(from: 6, through: 24, by: 6) { #expect(try await lives(used, days)) }
            #expect(try await lives(used, 30, -1))
            #expect(try await !lives(used, 30))
        }
    }

    @Test func `are marked as seen at most every five minutes`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(
                for: ada,
                in: World.acme,
                from: World.origin,
                at: World.noon
            )
            func seen(after seconds: Int) async throws -> Duration {
                let moment = World.noon + .seconds(seconds)
                _ = try await world.sessions.find(token, in: World.acme, at: moment)
                let list = try await world.sessions.list(of: ada, in: World.acme, at: moment)
                return try #require(list.first).lastSeenAt - World.noon
            }

            #expect(try await seen(after: 300) == .zero)
            #expect(try await seen(after: 301) == .seconds(301))
            #expect(try await seen(after: 600) == .seconds(301))
            #expect(try await seen(after: 602) == .seconds(602))
        }
    }

    @Test func `of a suspended person find nobody`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            try world.admin("UPDATE users SET suspended_at = now()")

            let session = try await world.sessions.find(token, in: World.acme)

            #expect(session == nil)
        }
    }

    @Test func `cannot begin for a person who is gone, and leave no event`() async throws {
        try await withWorld { world in
            let nobody = Subject(hexadecimal: "0")

            await #expect(throws: PostgresFailure.self) {
                _ = try await world.sessions.begin(for: nobody, in: World.acme, from: World.origin)
            }

            let actions = try world.actions()
            #expect(actions.isEmpty)
        }
    }

    @Test func `live on under a new token when renewed`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let old = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)

            let new = try #require(try await world.sessions.renew(old, in: World.acme))

            #expect(try await world.sessions.find(old, in: World.acme) == nil)
            #expect(try await world.sessions.find(new, in: World.acme)?.user.subject == ada)
            #expect(try await world.sessions.renew(old, in: World.acme) == nil)
        }
    }

    @Test func `end one by one or all but one`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let ben = try await world.add("Ben")
            var ids: [SessionID] = []
            for person in [ada, ada, ada, ada, ben] {
                let token = try await world.sessions.begin(for: person, in: World.acme, from: World.origin)
                ids.append(try #require(try await world.sessions.find(token, in: World.acme)).id)
            }
            let named = try #require(SessionID(text: ids[0].text))

            let first = try await world.sessions.end(
                named,
                of: ada,
                in: World.acme,
                by: .person(ada),
                from: World.origin
            )
            let others = try await world.sessions.endAll(
                of: ada,
                except: ids[1],
                in: World.acme,
                by: .person(ada),
                from: World.origin
            )

            #expect(first)
            #expect(others == 2)
            #expect(try await world.sessions.list(of: ada, in: World.acme, at: .now()).map(\.id) == [ids[1]])
            #expect(try await world.sessions.list(of: ben, in: World.acme, at: .now()).map(\.id) == [ids[4]])
            #expect(try world.actions().suffix(2) == ["session.ended", "sessions.ended"])
        }
    }

    @Test func `of one person are nothing another can end`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let ben = try await world.add("Ben")
            let token = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let id = try #require(try await world.sessions.find(token, in: World.acme)).id

            let ended = try await world.sessions.end(
                id,
                of: ben,
                in: World.acme,
                by: .person(ben),
                from: World.origin
            )

            #expect(!ended)
            #expect(try await world.sessions.find(token, in: World.acme) != nil)
        }
    }

    @Test func `of Acme are nothing to Rival`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let token = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let sessions = world.sessions

            #expect(try await sessions.find(token, in: World.rival) == nil)
            #expect(try await sessions.renew(token, in: World.rival) == nil)
            #expect(try await sessions.list(of: ada, in: World.rival, at: .now()).isEmpty)
            let ended = try await sessions.endAll(
                of: ada,
                in: World.rival,
                by: .system("test"),
                from: World.origin
            )
            #expect(ended == 0)
            #expect(try await sessions.find(token, in: World.acme) != nil)
        }
    }

    @Test func `of the system team are recorded as a member's`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada", to: .system)

            _ = try await world.sessions.begin(for: ada, in: .system, from: World.origin)

            let events = try world.admin(
                "SELECT actor_kind FROM audit_events WHERE action = 'sign_in.completed'"
            )
            #expect(events == [["member"]])
        }
    }
}
