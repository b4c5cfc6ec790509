import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What Apple tells by itself of the team's people.
@Suite struct `Apple's notifications` {
    static let path = "/t/ACMETEAM01/auth/notifications/apple"

    /// How `events` is written: as servers send it, as documents have it, and as older ones had it.
    enum Form: CaseIterable, Sendable {
        case string, object, array

        func write(_ event: JSONValue) -> JSONValue {
            switch self {
            case .string: .string(String(decoding: JSON.encode(event), as: UTF8.self))
            case .object: event
            case .array: [event]
            }
        }
    }

    @Test(.notifications, arguments: Form.allCases) func `end sessions, tokens and consent, and are passed on`(
        _ form: Form
    ) throws {
        let token = try site.tokens()
        let answer = try site.notification(form.write(site.event("consent-revoked")))

        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(try !site.isAlive(token) && site.credentialState() == "revoked")
        #expect(try site.count("consents", in: .acme) == 0)
        // Dead at Apple already: nobody has to call.
        #expect(try site.tokenStates() == ["revoked"] && site.receipts() == ["upstream_token.revoked"])
        #expect(try site.admin("SELECT FROM jobs WHERE kind = 'upstream.revocation'").isEmpty)
        #expect(try site.notificationTypes() == ["consent-revoked"])
    }

    @Test(.notifications) func `V21: are acted on once, however often they come`() throws {
        _ = try site.tokens()
        let event = site.event("consent-revoked", after: .seconds(100))
        #expect(try site.notification(event).status == 200)
        site.clock.advance(by: .seconds(60))
        let token = try site.tokens()
        for _ in 1...3 { #expect(try site.notification(event).status == 200) }

        #expect(try site.isAlive(token) && site.tokenStates() == ["revoked", "live"])
        #expect(try site.actions().count { $0 == "consent.ended" } == 1)
        #expect(try site.notification(event, id: "another").status == 200)
        #expect(try !site.isAlive(token))
    }

    @Test(.notifications) func `of twenty at once one is acted on`() throws {
        _ = try site.tokens()
        let event = site.event("consent-revoked")
        let exchanges = try (1...20).map { _ in try site.setOut(event) }
        for exchange in exchanges { #expect(try exchange.answer().status == 200) }
        #expect(try site.actions().count { $0 == "consent.ended" } == 1)
    }

    @Test(.notifications, arguments: ["account-delete", "account-deleted"])
    func `of a deleted account delete the person, by either spelling`(_ spelling: String) throws {
        let token = try site.tokens()
        #expect(try site.notification(site.event(spelling)).status == 200)
        #expect(try !site.isAlive(token) && site.credentialState() == "notFound")
        #expect(try site.tokenStates() == ["revoked"])
        #expect(try site.notificationTypes() == ["account-delete"])
        #expect(try site.actions().contains("user.deleted"))
    }

    @Test(.notifications) func `about nobody, and of what nobody knows, are taken and change nothing`() throws {
        let token = try site.tokens()
        #expect(try site.notification(site.event("consent-revoked", of: .managed)).status == 200)
        #expect(try site.notification(site.event("something-new"), id: "2").status == 200)
        #expect(try site.isAlive(token))
    }

    @Test(.notifications) func `that are none are refused`() throws {
        let token = try site.tokens()
        for body in ["", "{}", "[]", #"{"payload":1}"#, #"{"payload":"a.b.c"}"#, "payload=a.b.c"] {
            #expect(try site.ask("POST", Self.path, body: body).status == 400, "\(body)")
        }
        let event = site.event("consent-revoked")
        let wrong: [(String, JSONValue?)] = [
            ("iss", "https://account.apple.com"), ("aud", "com.rival.siwa"), ("aud", nil),
            ("exp", .integer(Int64(site.clock.now.seconds) - 3600)), ("iat", nil),
            ("iat", .integer(Int64(site.clock.now.seconds) + 3600)), ("events", nil), ("events", 7),
        ]
        for (name, value) in wrong {
            #expect(
                try site.notification(event) { $0[name] = value }.status == 400, "\(name) \(String(describing: value))")
        }
        #expect(try site.notification(event, to: "/t/RIVALTEAM1/auth/notifications/apple").status == 400)
        #expect(try site.notification(event, signedBy: TestKeys.signing).status == 400)
        #expect(try site.isAlive(token) && site.count("upstream_notifications") == 0)
    }

    @Test(.notifications) func `wait where Apple's keys cannot be had, and are good as of when they came`() async throws
    {
        let token = try site.tokens()
        site.clock.advance(by: .seconds(25 * 3600))
        site.script.set(.trouble, at: .keys, times: 1)
        #expect(try site.notification(site.event("consent-revoked")).status == 200)
        #expect(try site.isAlive(token))
        let clear = try site.admin("SELECT FROM jobs WHERE payload::text ~ 'payload|eyJhbGciOi'")
        #expect(clear.isEmpty)
        site.clock.advance(by: .seconds(2 * 86_400))
        try await site.work { try site.tokenStates() == ["revoked"] }
        #expect(try !site.isAlive(token))
    }

    @Test(.notifications)
    func `by a key that Apple does not have are refused, or kept for as long as Apple may not be asked`() async throws {
        let token = try site.tokens()
        let event = site.event("consent-revoked")
        let kept = "SELECT state, attempts < 4 FROM jobs WHERE kind = 'upstream.notification'"

        // The keys were fetched for the sign-in.
        site.clock.advance(by: .seconds(2))
        #expect(try site.notification(event, key: "NOSUCHKEY1").status == 200)
        #expect(try site.admin(kept).count == 1)
        site.clock.advance(by: .seconds(20))
        try await site.work { try site.admin(kept) == [["succeeded", "t"]] }

        #expect(try site.notification(event, key: "NOSUCHKEY2").status == 400)
        #expect(try site.admin(kept).count == 1)
        #expect(try site.isAlive(token))
    }

    @Test(.notifications) func `V75: that one network invents leave room for those of others`() throws {
        _ = try site.tokens()
        site.clock.advance(by: .seconds(2))
        func send(_ number: Int) throws -> Int {
            try site.notification(site.event("consent-revoked"), id: "notice-\(number)", key: "NOSUCHKEY1").status
        }
        try site.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT 'ACMETEAM01', lpad(translate(n::text, '0123456789', 'abcdefghij'), 26, 'a'), 'upstream.notification',
                1, jsonb_build_object('network', $1::text), now() + interval '1 day'
            FROM generate_series(1, $2::text::integer) AS n
            """, LimitKey.network("127.0.0.1").stored, "\(Quota.waitingOfNetwork.count - 1)")

        #expect(try send(1) == 200)
        #expect(try send(2) != 200)
        try site.admin("UPDATE jobs SET payload = jsonb_build_object('network', 'another')")
        #expect(try send(3) == 200)
    }

    @Test(.notifications) func `that hold many events are taken, as far as any notification goes`() throws {
        let token = try site.tokens()
        let event = site.event("consent-revoked")
        let nobody = site.event("email-enabled", of: .managed)
        #expect(try site.notification(.array(Array(repeating: nobody, count: 60) + [event])).status == 200)
        #expect(try site.isAlive(token))
        #expect(try site.notification(.array([event] + Array(repeating: nobody, count: 60)), id: "2").status == 200)
        #expect(try !site.isAlive(token))
    }

    @Test(.apple(limits: ["unauthenticated-writes": 4])) func `that prove nothing are limited, others never`() throws {
        site.script.set(.newKey, at: .keys)
        _ = try site.tokens()
        site.clock.advance(by: .seconds(61))
        let statuses = try (0..<5).map { _ in try site.ask("POST", Self.path, body: "{}").status }
        #expect(statuses == [400, 400, 400, 400, 429])
        #expect(try site.notification(site.event("consent-revoked")).status == 200)
        #expect(try site.tokenStates() == ["revoked"])
    }

    @Test(.simulator, arguments: ["account-delete", "account-deleted"])
    func `come from the simulator twice in either spelling, and are acted on once`(_ spelling: String) async throws {
        _ = try site.tokens()
        try site.predate()
        let form = ["person": "regular", "event": spelling, "copies": "2"]
        #expect(try site.post("/apple/notifications", form).status == 303)
        for copies in ["0", "6", "many"] {
            #expect(try site.post("/apple/notifications", form.merging(["copies": copies]) { $1 }).status != 303)
        }
        let delivered = "SELECT state FROM notifications WHERE team_id = 'APPLESIM00'"
        try await site.work { try site.admin(delivered) == [["delivered"]] }

        #expect(try site.credentialState() == "notFound" && site.tokenStates() == ["revoked"])
        let told = try site.admin("SELECT events::text FROM upstream_notifications")
        #expect(told.count == 1 && told[0][0]?.contains(spelling) == true)
        #expect(try site.actions().count { $0 == "user.deleted" } == 1)
        let arrivals = try site.admin("SELECT count(*)::text FROM delivery_attempts WHERE team_id = 'APPLESIM00'")
        #expect(arrivals == [["2"]])
    }
}
