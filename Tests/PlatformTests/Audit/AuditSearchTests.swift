import Core
import HTTP
import Testing

@testable import Platform

@Suite struct `The audit log` {
    /// One event for each filter to find, and others for it to pass over.
    private func seed(_ environment: AuditEnvironment) async throws {
        try environment.addPerson(AuditEnvironment.ada, "Ada")
        try environment.addPerson(AuditEnvironment.ben, "Ben")
        try await environment.record(AuditEnvironment.event())
        try await environment.record(
            AuditEnvironment.event(
                "key.revoked", by: .member(AuditEnvironment.ben), on: .init("key", "KEY1234567"), from: "2001:db8::7"))
        try await environment.record(
            AuditEnvironment.event(
                "sign_in.refused", by: .system("sign-in"), on: .init("user", "000000.x.0000"), from: "203.0.113.200",
                after: ["reason": "wrong password"], outcome: .refused))
        try await environment.record(
            AuditEnvironment.event(by: .member(AuditEnvironment.ben), on: .init("key", "com.acme.app")))
    }

    @Test func `is filtered by everything that is recorded`() async throws {
        try await withAuditEnvironment { environment in
            try await seed(environment)
            let refusal = "000000.x.0000"
            let now = Timestamp.now()

            let cases: [(AuditFilter, [String])] = [
                (AuditFilter(), ["com.acme.app", refusal, "KEY1234567", "com.acme.app"]),
                (AuditFilter { $0.actors = [AuditEnvironment.ben.rawValue] }, ["com.acme.app", "KEY1234567"]),
                (AuditFilter { $0.actors = [AuditEnvironment.ada.rawValue, "sign-in"] }, [refusal, "com.acme.app"]),
                (AuditFilter { $0.actors = [] }, []), (AuditFilter { $0.action = "key.revoked" }, ["KEY1234567"]),
                (AuditFilter { $0.target = "com.acme.app" }, ["com.acme.app", "com.acme.app"]),
                (AuditFilter { ($0.target, $0.targetKind) = ("com.acme.app", "key") }, ["com.acme.app"]),
                (AuditFilter { $0.addresses = AddressBlock("203.0.113.200") }, [refusal]),
                (AuditFilter { $0.addresses = AddressBlock("203.0.113.128/25") }, [refusal]),
                (AuditFilter { $0.addresses = AddressBlock("2001:db8::/32") }, ["KEY1234567"]),
                (AuditFilter { $0.outcome = .refused }, [refusal]),
                (AuditFilter { ($0.outcome, $0.action) = (.succeeded, "sign_in.refused") }, []),
                (AuditFilter { $0.words = ["password", "wrong"] }, [refusal]),
                (AuditFilter { $0.words = ["acme"] }, ["com.acme.app", "com.acme.app"]),
                (AuditFilter { $0.words = ["password", "acme"] }, []),
                (AuditFilter { ($0.words, $0.actors) = (["acme"], [AuditEnvironment.ada.rawValue]) }, ["com.acme.app"]),
                (AuditFilter { ($0.words, $0.outcome) = (["password", "wrong"], .refused) }, [refusal]),
                (AuditFilter { ($0.words, $0.target) = (["acme"], refusal) }, []), (AuditFilter { $0.since = now }, []),
                (AuditFilter { $0.until = now - .seconds(3600) }, []),
                (
                    AuditFilter { ($0.since, $0.until) = (now - .seconds(3600), now + .seconds(1)) },
                    ["com.acme.app", refusal, "KEY1234567", "com.acme.app"]
                ),
            ]
            for (filter, targets) in cases {
                #expect(try await environment.targets(filter) == targets, "\(filter)")
                let count = try await environment.search.page(matching: filter, in: .acme).count
                #expect(count == .exactly(targets.count), "\(filter)")
            }
        }
    }

    @Test func `V67: keeps no words of a sign-in, and finds it by person, network, app and reference`() async throws {
        try await withAuditEnvironment { environment in
            try await seed(environment)
            let (ben, app) = (AuditEnvironment.ben.rawValue, "com.acme.MyApp")
            let second = String(UInt64(Timestamp.now().seconds), radix: 16)
            let reference = "\(second)0a1b2c3d"
            try await environment.record(
                AuditEvent(
                    AuditEvent.signInCompleted, by: .person(AuditEnvironment.ben),
                    on: .client(try #require(ClientID(rawValue: app))),
                    from: Origin(ip: "198.51.100.9", userAgent: "Test/1.0", requestID: reference)))

            #expect(try environment.admin("SELECT FROM audit_words WHERE word = $1", app.lowercased()).isEmpty)
            let found: [AuditFilter] = [
                AuditFilter { ($0.actors, $0.action) = ([ben], "sign_in.completed") },
                AuditFilter { $0.addresses = AddressBlock("198.51.100.0/24") }, AuditFilter { $0.target = app },
                AuditFilter { $0.words = [app] }, AuditFilter { $0.words = [reference] },
                AuditFilter { $0.words = [reference, ben] },
                AuditFilter { ($0.words, $0.addresses) = ([app, ben], AddressBlock("198.51.100.9")) },
                AuditFilter { ($0.words, $0.outcome) = ([app], .succeeded) },
            ]
            for filter in found {
                #expect(try await environment.targets(filter) == [app], "\(filter)")
                let count = try await environment.search.page(matching: filter, in: .acme).count
                #expect(count == .exactly(1), "\(filter)")
            }
            let others: [AuditFilter] = [
                AuditFilter { $0.words = [app, "password"] }, AuditFilter { $0.words = ["\(second)0a1b2c3e"] },
                AuditFilter { ($0.words, $0.outcome) = ([app], .refused) },
            ]
            for filter in others { #expect(try await environment.targets(filter) == [], "\(filter)") }
            // Beside the events that have words.
            #expect(
                try await environment.targets(AuditFilter { $0.words = [ben] }) == [app, "com.acme.app", "KEY1234567"])
        }
    }

    @Test func `names people beside their ids until they are deleted`() async throws {
        try await withAuditEnvironment { environment in
            try environment.addPerson(AuditEnvironment.ben, "Ben", to: .acme)
            try await seed(environment)
            try await environment.record(
                AuditEnvironment.event(
                    "user.updated", by: .person(AuditEnvironment.ben), on: .init("user", AuditEnvironment.ben.rawValue))
            )

            let entry = try #require(try await environment.store.list(in: .acme, limit: 1).first)
            #expect(entry.actorPerson?.name == "Ben" && entry.targetPerson?.email == "ben@acme.example")
            #expect(try await environment.search.people(named: "ADA", in: .acme) == [AuditEnvironment.ada.rawValue])
            #expect(
                try await environment.search.people(named: "ben@acme.example", in: .acme) == [
                    AuditEnvironment.ben.rawValue
                ])

            try environment.removePerson(AuditEnvironment.ada, in: .system)
            try environment.removePeople()

            let names = try environment.admin("SELECT kind, name FROM audit_people")
            #expect(names == [["member", "Ben"]])
            let entries = try await environment.store.list(in: .acme, limit: 10)
            #expect(entries.count == 5 && entries[0].actorPerson == nil && entries[4].actorPerson == nil)
            #expect(try await environment.search.people(named: "ada", in: .acme).isEmpty)
        }
    }

    @Test func `knows a person under the newest name`() async throws {
        try await withAuditEnvironment { environment in
            try environment.addPerson(AuditEnvironment.ada, "Ada")
            try await environment.record(AuditEnvironment.event())
            try environment.admin("UPDATE users SET given_name = 'Adele'")
            try await environment.record(AuditEnvironment.event())

            let entries = try await environment.store.list(in: .acme, limit: 2)

            #expect(entries.map(\.actorPerson?.name) == ["Adele", "Adele"])
        }
    }

    @Test(arguments: [
        ("小明", "王", "王小明"), ("민준", "김", "김민준"), ("はな子", "佐々木", "佐々木はな子"), ("𠮷", "王", "王𠮷"),
        ("Xiaoming", "王", "Xiaoming 王"), ("Ada", "Lovelace", "Ada Lovelace"), ("小明", "", "小明"), ("", "王", "王"),
    ]) func `knows a name in the order of its script`(given: String, family: String, name: String) async throws {
        try await withAuditEnvironment { environment in
            try environment.addPerson(AuditEnvironment.ada, given)
            try environment.admin("UPDATE users SET family_name = $1", family)
            try await environment.record(AuditEnvironment.event())

            #expect(try await environment.store.list(in: .acme, limit: 1).first?.actorPerson?.name == name)
            #expect(try await environment.search.people(named: name, in: .acme) == [AuditEnvironment.ada.rawValue])
        }
    }

    @Test func `is paged without loss and twice nothing, whatever comes meanwhile`() async throws {
        try await withAuditEnvironment { environment in
            try makeJanuary(environment)
            // Ten a moment: the moment alone would not tell where a page ended.
            try environment.admin(
                """
                INSERT INTO audit_events (
                    team_id, at, actor_kind, actor, action, target_kind, target, outcome, words
                )
                SELECT 'ACMETEAM01', timestamptz '2020-01-10' - (n / 10) * interval '1 s', 'system', 'test', 'a.b', 'thing', n::text,
                    'succeeded', '{thing}'
                FROM generate_series(1, 170) AS n
                """)
            for filter in [AuditFilter(), AuditFilter { $0.words = ["thing"] }] {
                var seen: [String] = []
                var page = try await environment.search.page(matching: filter, in: .acme)
                while let next = page.next {
                    seen += page.entries.map(\.target)
                    try await environment.record(AuditEnvironment.event("a.c", after: "thing"))
                    page = try await environment.search.page(matching: filter, in: .acme, before: next)
                }
                seen += page.entries.map(\.target)

                let numbered = seen.filter { Int($0) != nil }
                #expect(Set(numbered).count == 170 && numbered.count == 170)
            }
        }
    }

    @Test func `counts to a thousand and says when there are more`() async throws {
        try await withAuditEnvironment { environment in
            try seedMany(1001, environment)

            #expect(try await environment.search.page(matching: AuditFilter(), in: .acme).count == .moreThan(1000))
        }
    }

    @Test func `shows nothing of another team`() async throws {
        try await withAuditEnvironment { environment in
            try await seed(environment)
            let place = try #require(try await environment.store.list(in: .acme, limit: 1).first).place
            let filters = [
                AuditFilter(), AuditFilter { $0.words = ["acme"] }, AuditFilter { $0.target = "com.acme.app" },
            ]

            for filter in filters {
                #expect(try await environment.targets(filter, in: .rival).isEmpty)
                #expect(try await environment.search.page(matching: filter, in: .rival).count == .exactly(0))
            }
            #expect(try await environment.store.find(place, in: .acme) != nil)
            #expect(try await environment.store.find(place, in: .rival) == nil)
            #expect(try await environment.search.people(named: "ada", in: .rival).isEmpty)
        }
    }
}

/// Events of ten actors on a thousand things, a second apart from January 2, 2020, as a busy team would have.
func seedMany(_ count: Int, _ environment: AuditEnvironment) throws {
    try makeJanuary(environment)
    try environment.admin(
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, ip_key, words
        )
        SELECT 'ACMETEAM01', timestamptz '2020-01-02' + n * interval '1 second', 'system', 'actor' || n % 10,
            CASE WHEN n % 50 = 0 THEN 'key.revoked' ELSE 'sign_in.completed' END, 'user', 'thing' || n % 1000,
            CASE WHEN n % 100 = 0 THEN 'refused' ELSE 'succeeded' END, NULL,
            decode('00000000000000000000ffff0a' || lpad(to_hex(n % 65536), 6, '0'), 'hex'),
            ARRAY['thing' || n % 1000, 'word' || n % 20]
        FROM generate_series(1, \(count)) AS n
        """)
}

@Suite struct `The words of an event` {
    @Test func `are its names, its parts and what was changed, each once and in lower case`() {
        let event = AuditEnvironment.event(after: [
            "description": "Äpfel & Birnen, frisch!", "urls": ["https://acme.example/cb"], "isOn": true,
        ])

        let words = EventSearchTerms.of(event)

        #expect(words.first == AuditEnvironment.ada.rawValue)
        for word in ["com.acme.app", "app_id", "updated", "acme", "äpfel", "birnen", "frisch", "request-1", "cb"] {
            #expect(words.contains(word), "\(word)")
        }
        #expect(words.contains("https://acme.example/cb"))
        #expect(Set(words).count == words.count)
        #expect(!words.contains("") && !words.contains("&") && !words.contains("true"))
    }

    @Test func `are neither endless nor many`() {
        let long = String(repeating: "x", count: 65)
        let many = (1...500).map { "word\($0)" }.joined(separator: " ")

        let words = EventSearchTerms.of(AuditEnvironment.event(after: ["a": .string(long), "b": .string(many)]))

        #expect(!words.contains(long))
        #expect(words.count == EventSearchTerms.limit)
    }

    @Test func `are asked for as they are kept`() {
        #expect(EventSearchTerms.ofQuery("  “Äpfel”, com.acme.app  äpfel ") == ["Äpfel", "com.acme.app"])
        #expect(EventSearchTerms.ofQuery(" !? ") == [])
        #expect(EventSearchTerms.ofQuery("a b c d e f g h").count == 6)
    }
}
