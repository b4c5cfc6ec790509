import Core
import Platform
import Postgres
import Registry
import Testing

@Suite struct `App IDs` {
    private static func draft(_ identifier: String, _ description: String, primary: String = "") throws -> AppID.Draft {
        let typed: Typed = ["description": .string(description), "primary": .string(primary)]
        return try AppID.Draft(identifier, typed, policy: .hostNames)
    }

    @Test func `are created, found and audited`() async throws {
        try await Registered.with { acme in
            let made = try await acme.makeApp()

            #expect(try await acme.appIDs.find(made.identifier, in: .acme) == made)
            #expect((made.version, made.isEnabled, made.primary) == (1, true, nil))
            let event = try #require(try await acme.events().first)
            #expect(
                (event.action, event.target, event.actor) == ("app_id.created", "com.acme.app", Subject.ada.rawValue))
            #expect(event.before == nil)
            #expect(event.after?.contains(#""description": "Acme""#) == true)
        }
    }

    @Test func `share their names with Service IDs, whatever the case`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            try await acme.makeService()

            await #expect(throws: ValidationError.identifierTaken(.named("com.acme.app"), by: .app)) {
                try await acme.makeApp("com.ACME.app")
            }
            await #expect(throws: ValidationError.identifierTaken(.named("com.acme.web"), by: .service)) {
                try await acme.makeApp("com.acme.WEB")
            }
            await #expect(throws: ValidationError.bundleIDAsServiceID(.named("com.acme.app"))) {
                try await acme.makeService("com.Acme.App")
            }
            #expect(try await acme.events().count == 2)
        }
    }

    @Test func `keep the first of two changes made from the same version`() async throws {
        try await Registered.with { acme in
            let made = try await acme.makeApp()
            let (first, second) = (try Self.draft("com.acme.app", "First"), try Self.draft("com.acme.app", "Second"))

            let saved = try await acme.appIDs.update(to: first, version: made.version)
            let late = try await acme.appIDs.update(to: second, version: made.version)

            guard case .saved(let current) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect((current.version, current.description) == (2, "First"))
            #expect(late == .conflict(current: current))
            let event = try #require(try await acme.events().first)
            #expect((event.before, event.after) == (#"{"description": "Acme"}"#, #"{"description": "First"}"#))
        }
    }

    @Test func `have an issuer, Pippin's or Apple's, which is audited`() async throws {
        try await Registered.with { acme in
            let made = try await acme.makeApp()
            #expect(made.issuer == .own)
            var typed = made.settings.typed
            typed["issuer"] = "apple"
            let draft = try AppID.Draft("com.acme.app", typed, policy: .hostNames)
            let saved = try await acme.appIDs.update(to: draft)

            guard case .saved(let current) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect(current.issuer == .apple)
            let event = try #require(try await acme.events().first)
            #expect((event.before, event.after) == (#"{"issuer": "own"}"#, #"{"issuer": "apple"}"#))
            typed["issuer"] = "https://appleid.apple.com"
            let refusal = #expect(throws: FieldErrors.self) {
                try AppID.Draft("com.acme.app", typed, policy: .hostNames)
            }
            #expect(refusal?.all.map(\.path.description) == ["issuer"])
        }
    }

    @Test func `that are saved as they are stay as they are`() async throws {
        try await Registered.with { acme in
            let made = try await acme.makeApp()

            let saved = try await acme.appIDs.update(to: made.draft)

            #expect(saved == .saved(made))
            #expect(try await acme.events().count == 1)
        }
    }

    @Test func `are grouped under primary ones only`() async throws {
        try await Registered.with { acme in
            for name in ["com.acme.app", "com.acme.watch", "com.acme.tv"] { try await acme.makeApp(name) }
            let watch = try Self.draft("com.acme.watch", "Watch", primary: "com.acme.app")
            let grouped = try await acme.appIDs.update(to: watch)
            guard case .saved(let saved) = grouped else { return #expect(Bool(false), "\(grouped)") }
            #expect(saved.primary?.rawValue == "com.acme.app")

            func refuses(_ refusal: ValidationError, _ name: String, under primary: String) async throws {
                let draft = try Self.draft(name, name, primary: primary)
                await #expect(throws: refusal) { try await acme.appIDs.update(to: draft) }
            }
            try await refuses(
                .groupedAppID(.named("com.acme.watch"), under: .named("com.acme.app")), "com.acme.tv",
                under: "com.acme.watch")
            try await refuses(.primaryOfOthers([.named("com.acme.watch")]), "com.acme.app", under: "com.acme.tv")
            let foreign = try Self.draft("com.acme.new", "New", primary: "com.rival.app")
            await #expect(throws: ValidationError.unknownAppID(.named("com.rival.app"))) {
                try await acme.appIDs.create(foreign)
            }
        }
    }

    @Test func `with active keys stay primary`() async throws {
        try await Registered.with { acme in
            for name in ["com.acme.app", "com.acme.watch"] { try await acme.makeApp(name) }
            let key = try await acme.keys.issue(of: "com.acme.watch")

            let draft = try Self.draft("com.acme.watch", "Watch", primary: "com.acme.app")
            await #expect(throws: ValidationError.holdsActiveKeys([key.id])) { try await acme.appIDs.update(to: draft) }
        }
    }

    @Test func `take along what hangs on them, and say so first`() async throws {
        try await Registered.with { acme in
            let app = try await acme.makeApp().identifier
            try await acme.makeService()
            let member = try Self.draft("com.acme.watch", "Watch", primary: "com.acme.app")
            try await acme.appIDs.create(member)
            let key = try await acme.keys.issue()
            try await acme.addPersonWithConsentAndToken()

            let consequences = try #require(try await acme.appIDs.consequences(of: app, in: .acme))
            let deleted = try await acme.appIDs.delete(app, reason: "moved\0 away")

            #expect(consequences == deleted)
            #expect(consequences.serviceIDs == [.named("com.acme.web")])
            #expect(consequences.activeKeys == [key.id])
            #expect(consequences.groupedAppIDs == [member.identifier])
            #expect(consequences.people == 1)
            #expect(try await acme.appIDs.find(app, in: .acme) == nil)
            #expect(try await acme.serviceIDs.find(.named("com.acme.web"), in: .acme) == nil)
            #expect(try await acme.keys.find(key.id, in: .acme) == nil)
            #expect(try await acme.appIDs.find(member.identifier, in: .acme)?.primary == nil)
            #expect(try await acme.number("SELECT count(*) FROM refresh_tokens") == 0)
            #expect(try await acme.number("SELECT count(*) FROM consents") == 0)
            let event = try #require(try await acme.events().first)
            #expect((event.action, event.after) == ("app_id.deleted", #"{"reason": "moved away"}"#))
            #expect(event.before?.contains(#""serviceIDs": ["com.acme.web"]"#) == true)
            #expect(event.before?.contains(key.id.rawValue) == true)
        }
    }

    @Test func `come in pages that stand still while others are added`() async throws {
        try await Registered.with { acme in
            for name in ["b", "d", "f", "h"] { try await acme.makeApp("com.\(name)") }
            try await acme.makeService("com.b.web", of: "com.b")
            try await acme.makeApp("org.other")

            let first = try await acme.appIDs.list(PageQuery(search: "COM.", limit: 2), in: .acme)
            try await acme.makeApp("com.a")
            let second = try await acme.appIDs.list(PageQuery(search: "com.", after: first.next, limit: 2), in: .acme)
            let none = try await acme.appIDs.list(PageQuery(search: "com_"), in: .acme)

            #expect(first.items.map(\.appID.identifier.rawValue) == ["com.b", "com.d"])
            #expect(first.items.map(\.serviceIDs) == [1, 0])
            #expect((first.total, second.total) == (4, 5))
            #expect(second.items.map(\.appID.identifier.rawValue) == ["com.f", "com.h"])
            #expect(second.next == nil)
            #expect((none.items.isEmpty, none.total) == (true, 0))
        }
    }
}

extension Registered {
    func addPersonWithConsentAndToken() async throws {
        try await database.transaction(in: TeamID.acme) { transaction in
            try await transaction.query("INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', 'ada')")
            try await transaction.query(
                """
                INSERT INTO consents (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip
                ) VALUES ('ACMETEAM01', 'ada', 'com.acme.app', true, true, false, now(), '')
                """)
            try await transaction.query(
                """
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
                ) VALUES ('ACMETEAM01', '\\x01', 'ada', 'com.acme.app', 'com.acme.web', now(), now(), now())
                """)
        }
    }
}
