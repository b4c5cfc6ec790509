import Core
import Directory
import Platform
import Testing

@testable import Federation
@testable import TestTeams

@Suite struct `Tokens that a provider gave` {
    private func token(_ octet: UInt8, of subject: Subject) -> UpstreamToken {
        UpstreamToken(
            id: [UInt8](repeating: octet, count: 16), provider: .apple, subject: subject, identifier: nil,
            primaryAppID: .app, clientID: "com.acme.app", createdAt: Timestamp(seconds: 0), text: nil)
    }

    @Test func `V43: are a hundred or so of a person and group, however often they sign in`() async throws {
        try await withEngine { engine in
            try engine.admin(
                """
                INSERT INTO upstream_tokens (
                    team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, state
                )
                SELECT 'ACMETEAM01', decode(md5(app || state || n), 'hex'), 'apple', $1, app, app, '',
                    $2::timestamptz - n * interval '1 hour', now(), state
                FROM generate_series(1, 150) AS n, (VALUES ('live'), ('ending')) AS states (state),
                    (VALUES ('com.acme.app'), ('com.acme.other')) AS apps (app)
                """, engine.ada.rawValue, engine.clock.now.precise)
            let store = UpstreamTokenStore(server: engine.server)
            func new(_ text: String) -> UpstreamTokenStore.New {
                UpstreamTokenStore.New(
                    text: text, provider: .apple, subject: engine.ada, identifier: nil, primaryAppID: .app,
                    clientID: .app, at: engine.clock.now)
            }
            let due = try #require((0..<10_000).map { new("token \($0)") }.first { UpstreamTokenStore.isDue($0.id) })

            try await engine.database.query(store.insertion(of: due, in: .acme), in: .acme)

            let left = try engine.admin(
                """
                SELECT app_id, state, count(*), min(created_at) = $1::timestamptz - interval '99 hours'
                FROM upstream_tokens GROUP BY 1, 2 ORDER BY 1, 2
                """, engine.clock.now.precise)
            #expect(
                left == [
                    ["com.acme.app", "ending", "150", "f"], ["com.acme.app", "live", "100", "t"],
                    ["com.acme.other", "ending", "150", "f"], ["com.acme.other", "live", "150", "f"],
                ])
        }
    }

    @Test func `V53: are not the last word for being dated ahead of the time`() async throws {
        try await withEngine { engine in
            try engine.admin(
                """
                INSERT INTO upstream_tokens (
                    team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at
                )
                SELECT 'ACMETEAM01', decode(repeat(octet, 16), 'hex'), 'apple', $1, 'com.acme.app', 'com.acme.app', '',
                    $2::timestamptz + ahead, now()
                FROM (VALUES ('01', interval '1 day'), ('02', interval '0')) AS given (octet, ahead)
                """, engine.ada.rawValue, engine.clock.now.precise)
            let store = UpstreamValidationStore(engine.database)
            let (ahead, real) = (token(1, of: engine.ada), token(2, of: engine.ada))

            let now = engine.clock.now + .seconds(60)
            #expect(try await store.status(of: ahead, in: .acme, at: now) == .superseded)
            #expect(try await store.status(of: real, in: .acme, at: now) == .mayAsk)
        }
    }
}

/// Which of two came first, where clocks differ and a time may be a whole second.
@Suite struct `An event of a provider and a sign-in` {
    private static let moment = Timestamp(seconds: 1_800_000_000)

    /// Milliseconds from the event to the sign-in.
    @Test(arguments: [
        (-86_400_000, EventOrder.older), (-5_001, .older), (-5_000, .older), (-4_999, .unclear), (-1, .unclear),
        (0, .unclear), (999, .unclear), (1_000, .unclear), (6_000, .unclear), (6_001, .newer), (86_400_000, .newer),
    ]) func `are ordered only where neither clock nor resolution can have turned them round`(
        _ distance: Int, _ order: EventOrder
    ) { #expect(EventOrder(of: Self.moment + .milliseconds(distance), toEventAt: Self.moment) == order) }

    /// Seconds from the event to the newest live token and to the last sign-in.
    @Test(
        arguments: [
            (nil, nil, false, .ended), (-60, -60, false, .ended), (nil, -60, false, .ended),
            (-60, -60, true, .endedByUs), (nil, nil, true, .endedByUs), (nil, 2, true, .endedByUs),
            (60, 60, false, .renewed), (60, 60, true, .renewed), (-60, 60, false, .arriving),
            (-60, 60, true, .arriving), (2, 2, false, .unclear(hasToken: true)), (2, 2, true, .unclear(hasToken: true)),
            (0, 60, false, .unclear(hasToken: true)), (-60, 0, false, .unclear(hasToken: false)),
            (nil, -2, false, .unclear(hasToken: false)),
        ] as [(Int?, Int?, Bool, UpstreamAuthorizationStore.Status)])
    func `leave the authorization ended, renewed, or to be asked about`(
        _ token: Int?, _ login: Int?, _ isEcho: Bool, _ status: UpstreamAuthorizationStore.Status
    ) {
        func time(_ distance: Int?) -> Timestamp? { distance.map { Self.moment + .seconds($0) } }
        let found = UpstreamAuthorizationStore.Status(
            at: Self.moment, token: time(token), login: time(login), isEcho: isEcho)
        #expect(found == status)
    }
}

@Suite struct `A notification of a provider about several people` {
    @Test func `locks them in one order, and tells of each in the order of the notification`() {
        let moment = Timestamp(seconds: 1_800_000_000)
        let (ada, ben) = (Subject(hexadecimal: "a1"), Subject(hexadecimal: "b2"))
        func order(_ events: [(String, Subject?)]) -> [String] {
            let notification = UpstreamNotification(
                id: "notice-1", primaryAppID: .app,
                events: events.map { UpstreamNotification.Event($0.0, of: $0.1, at: moment) })
            return notification.eventsByPerson.filter { $0.identifier != nil }.map {
                "\($0.identifier == ada ? "ada" : "ben") \($0.name)"
            }
        }
        let wanted = ["ada email-disabled", "ada consent-revoked", "ben email-enabled"]
        let crossed: [[(String, Subject?)]] = [
            [("email-disabled", ada), ("consent-revoked", ada), ("email-enabled", ben)],
            [("email-enabled", ben), ("email-disabled", ada), ("consent-revoked", ada)],
            [("email-disabled", ada), ("email-enabled", ben), ("consent-revoked", ada), ("unknown", nil)],
        ]
        for events in crossed { #expect(order(events) == wanted) }
    }
}

/// What a provider posted for browsers that have not come back.
@Suite struct `Answers that wait` {
    @Test func `S18, V43: are ten thousand of a team at most, once nobody can come for them`() async throws {
        try await withTeams { teams in
            func plant(_ count: Int, _ name: String, of team: String, age: Duration) throws {
                try teams.admin(
                    """
                    INSERT INTO upstream_requests (
                        team_id, state_hash, provider, interaction_id, browser_hash, app_id, wants_name, wants_email,
                        created_at, answered_at
                    )
                    SELECT $1, convert_to($2 || n, 'UTF8'), 'apple', '', '', 'com.acme.app', true, true, moment, moment
                    FROM generate_series(1, $3::integer) AS n,
                        LATERAL (SELECT $4::timestamptz + n * interval '1 microsecond' AS moment) AS planted
                    """, team, name, String(count), (teams.clock.now - age).description)
            }
            #expect(Quota.unsettledRequests.count == 10_000)
            let most = 100
            try plant(most + 12, "old", of: "ACMETEAM01", age: .seconds(3600))
            try plant(50, "young", of: "ACMETEAM01", age: .seconds(60))
            try plant(5, "other", of: "RIVALTEAM1", age: .seconds(3600))

            let upstreamRequests = UpstreamRequestStore(teams.database, server: teams.server, timeout: .seconds(10))
            try await upstreamRequests.trim(in: .acme, at: teams.clock.now, keeping: most, batch: 10)

            let kept = try teams.admin("SELECT team_id, count(*) FROM upstream_requests GROUP BY 1 ORDER BY 1")
            #expect(kept.map { $0[1] } == [String(most + 50), "5"])
            let last = "SELECT FROM upstream_requests WHERE state_hash = convert_to($1, 'UTF8')"
            #expect(try teams.admin(last, "old\(most)").count == 1)
            #expect(try teams.admin(last, "old\(most + 1)").isEmpty)
        }
    }
}
