import Core
import Crypto
import Directory
import HTTP
import Platform
import Postgres
import TestNumbers
import Testing

@testable import OAuth
@testable import TestTeams

/// Apple's notices to an app, point P13 of the conformance list.
@Suite struct NotificationTests {
    @Test func `P13: a revocation is told in Apple's form, signed with a published key`() async throws {
        try await withAppServer { app, engine in
            try await app.tell()
            try await app.work { try app.states() == ["delivered"] }

            let body = try JSON.decode([String: JSONValue].self, from: try #require(app.inbox.all.first))
            #expect(body.count == 1)
            let claims = try await engine.claims(try #require(body["payload"]?.string))
            let now = Int64(engine.clock.now.seconds)
            #expect(claims.members.keys.sorted() == ["aud", "events", "exp", "iat", "iss", "jti"])
            #expect(try claims.string("iss") == "https://pippin.example/t/ACMETEAM01")
            #expect(try claims.string("aud") == "com.acme.app")
            #expect(try claims.integer("iat") == now - 10)
            #expect(try claims.integer("exp") == claims.integer("iat") + 86_400)
            let event = try event(claims)
            #expect(event["type"] == "consent-revoked")
            #expect(event["sub"]?.string == engine.ada.rawValue)
            // Milliseconds, not seconds.
            #expect(try #require(event["event_time"]?.integer) > 1_000_000_000_000)
        }
    }

    private func event(_ claims: Claims) throws -> JSONValue {
        try JSON.decode(JSONValue.self, from: Array(try claims.string("events").utf8))
    }

    private func events(_ app: AppServer) async throws -> [JSONValue] { try await app.claims().map(event) }

    @Test func `without a notification URL nobody is told, and another group is not told`() async throws {
        try await withAppServer(of: [.other]) { app, _ in
            try await app.tell()
            #expect(try app.states().isEmpty)
            #expect(try app.admin("SELECT FROM jobs").isEmpty)
        }
    }

    @Test func `P13: a server that fails is told again with the same jti, and each attempt is kept`() async throws {
        try await withAppServer { app, _ in
            app.inbox.answer(Response(.internalServerError, body: Array("out\nof order".utf8)))
            try await app.tell()
            try await app.work { try app.attempts().count == 1 }
            #expect(try app.states() == ["pending"])
            try app.makeJobsDue()
            try await app.work { try app.states() == ["delivered"] }

            #expect(try app.attempts() == [["500", nil, "out of order"], ["200", nil, ""]])
            let ids = try await app.claims().map { try $0.string("jti") }
            #expect(ids.count == 2 && ids[0] == ids[1])
        }
    }

    @Test func `after the last attempt it is dead, and can be sent again`() async throws {
        try await withAppServer { app, _ in
            app.inbox.answer(Response(.notFound))
            try await app.tell()
            try app.admin("UPDATE jobs SET attempts = 19")
            try await app.work { try app.states() == ["dead"] }
            #expect(try app.jobStates() == ["dead"])
        }
    }

    @Test func `a copy of an installation tells nobody, and says why`() async throws {
        try await withAppServer { app, engine in
            engine.server.gate.isClosed = true
            try await app.tell()
            try await app.work { try app.states() == ["dead"] }

            #expect(try app.attempts().map { $0[1] } == ["copy"])
            #expect(app.inbox.all.isEmpty)
        }
    }

    @Test func `a redirect is no delivery and is not followed`() async throws {
        try await withAppServer { app, _ in
            app.inbox.answer(.redirect(to: "/elsewhere"))
            try await app.tell()
            try await app.work { try app.attempts().count == 1 }
            #expect(try app.attempts().first?[0] == "303")
            #expect(try app.states() == ["pending"])
        }
    }

    @Test func `a production team tells nobody on this machine, nor one whose installation forbids it`() async throws {
        for (mode, allowsLoopback) in [("production", true), ("sandbox", false)] {
            try await withAppServer(allowsLoopback: allowsLoopback) { app, _ in
                try app.setMode(mode)
                try await app.tell()
                try await app.work { try app.attempts().count == 1 }
                #expect(try app.attempts() == [[nil, "address_refused", ""]])
                #expect(app.inbox.all.isEmpty)
            }
        }
    }

    @Test func `events about the relay go to groups that hide the address, with the relay address`() async throws {
        try await withAppServer(of: [.app, .other]) { app, engine in
            _ = try await engine.signIn(to: .web, Engine.fullRequest, email: .hidden)
            _ = try await engine.signIn(to: .otherWeb, Engine.fullRequest, email: .shared)
            try await engine.database.transaction(in: .acme) { transaction in
                try await Notifications.enqueue(.emailDisabled, of: engine.ada, in: .acme, transaction)
            }
            try await app.work { try app.states() == ["delivered"] }
            let event = try #require(try await events(app).first)
            #expect(event["type"] == "email-disabled" && event["is_private_email"] == "true")
            #expect(event["email"]?.string?.hasSuffix("@relay.example") == true)
        }
    }

    @Test func `V53: events about a provider's relay name the address that the app was given`() async throws {
        try await withAppServer { app, engine in
            _ = try await engine.signIn(to: .web, Engine.fullRequest, email: .hidden)
            try engine.admin(
                """
                UPDATE consents SET hides_email = false, provider = 'apple', upstream_email = 'x1@privaterelay.example',
                    is_upstream_email_private = true
                """)
            try await engine.database.transaction(in: .acme) { transaction in
                let notification = NewNotification(.emailDisabled, of: engine.ada, to: .app)
                _ = try await Notifications.enqueue(notification, in: .acme, transaction)
            }
            try await app.work { try app.states() == ["delivered"] }
            let event = try #require(try await events(app).first)
            #expect(event["email"] == "x1@privaterelay.example" && event["is_private_email"] == "true")
        }
    }

    @Test func `a notification is written with its change or not at all`() async throws {
        try await withAppServer { app, engine in
            _ = try await engine.tokens()
            try? await engine.database.transaction(in: .acme) { transaction in
                try await Notifications.enqueue(.emailEnabled, of: engine.ada, in: .acme, transaction)
                try await Notifications.enqueue(.accountDelete, of: engine.ada, in: .acme, transaction)
                throw TestFailure("changed my mind")
            }
            #expect(try app.states().isEmpty)
        }
    }

    @Test func `Rival sees none of Acme's notifications and enqueues none for it`() async throws {
        try await withAppServer { app, engine in
            try await app.tell()
            let rows = try await engine.database.query("SELECT FROM notifications", in: .rival)
            #expect(rows.isEmpty)
            let isTold = try await engine.database.transaction(in: .rival) { transaction in
                try await Notifications.enqueue(
                    NewNotification(.accountDelete, of: engine.ada, to: .app), in: .rival, transaction)
            }
            #expect(!isTold)
        }
    }
}

/// What an earlier version has queued is delivered by this one, and by the version before where both run on one database.
@Suite struct StoredNotificationTests {
    @Test func `a queued delivery keeps the names it was stored under`() throws {
        let stored = #"{"notification":"n1","spelling":"account-deleted","copies":2}"#
        let job = try JSON.decode(NotificationJob.self, from: Array(stored.utf8))

        #expect(job.notification == "n1" && job.spelling == "account-deleted" && job.copies == 2)
        let written = try JSON.decode(JSONValue.self, from: JSON.encode(job))
        #expect(try written == JSON.decode(JSONValue.self, from: Array(stored.utf8)))
    }
}

/// Security case V39: the pause that an app's server asks for.
@Suite struct PauseNumberTests {
    @Test func `V39: a notification is told again within a day, whatever number its server answers`() async throws {
        try await withAppServer { app, _ in
            try await app.tell()
            // Those that are a pause, or none that can be read.
            let numbers = BoundaryNumber.texts.filter { (Int($0) ?? 61) > 60 && $0.utf8.allSatisfy { $0 < 0x80 } }
            for number in numbers.prefix(6) + ["9223372036854775808", "1e308", "NaN", "", "1;"] {
                answer(number, of: app)
                let known = try app.attempts().count
                // Late in the row, so that the pause is long where the server names none.
                try app.makeJobsDue(afterAttempts: 10)
                try await app.work { try app.attempts().count > known }
                let due = try app.admin("SELECT state, due_at BETWEEN now() AND now() + interval '25 hours' FROM jobs")
                #expect(due == [["pending", "t"]], "\(number)")
            }
            // Without a pause it is told again at once.
            answer("-9223372036854775808", of: app)
            try app.makeJobsDue(afterAttempts: 10)
            try await app.work { try app.states() == ["delivered"] }
        }
    }

    private func answer(_ number: String, of app: AppServer) {
        var answer = Response(.serviceUnavailable)
        answer.append(.retryAfter, number)
        app.inbox.answer(answer)
    }
}
