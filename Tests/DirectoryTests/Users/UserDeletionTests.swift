import Crypto
import Directory
import Domain
import Testing

@Suite struct `Deleting a user` {
    @Test func `takes codes, tokens, sessions, consents, password and login name along`() async throws {
        try await withWorld { world in
            let hash = try World.cheap.hash("correct horse")
            let ada = try await world.add("Ada", password: hash)
            try world.addApp(World.app)
            _ = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            _ = try await world.consents().grant(
                ConsentChoice(name: nil, email: .hidden),
                of: ada,
                to: World.app,
                in: World.acme,
                from: World.origin
            )
            try world.issueTokens(to: ada, app: World.app)
            let store = UserDeletionStore(world.database)

            let deleted = try await store.delete(
                ada,
                in: World.acme,
                by: .person(ada),
                from: World.origin,
                reason: "asked for"
            )

            #expect(deleted)
            for table in [
                "users", "login_names", "passwords", "sessions", "consents", "refresh_tokens",
                "authorization_codes",
            ] {
                #expect(try world.count(table, of: ada) == 0, "\(table)")
            }
            #expect(try world.actions().last == "user.deleted")
            #expect(try await world.add("Ada") != ada)
        }
    }

    @Test func `leaves others alone`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let ben = try await world.add("Ben")
            try world.addApp(World.app)
            try world.issueTokens(to: ben, app: World.app)

            _ = try await UserDeletionStore(world.database).delete(
                ada,
                in: World.acme,
                by: .person(ada),
                from: World.origin
            )

            #expect(try world.count("users", of: ben) == 1)
            #expect(try world.count("refresh_tokens", of: ben) == 1)
            #expect(try world.count("authorization_codes", of: ben) == 1)
        }
    }

    @Test func `of the system team ends their memberships`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada", to: .system)
            try world.admin(
                "INSERT INTO memberships (team_id, sub, role) VALUES ('ACMETEAM01', $1, 'owner')",
                ada.rawValue
            )

            _ = try await UserDeletionStore(world.database).delete(
                ada,
                in: .system,
                by: .member(ada),
                from: World.origin
            )

            #expect(try world.count("memberships", of: ada) == 0)
        }
    }

    @Test func `of Acme is nothing Rival can do`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            let deleted = try await UserDeletionStore(world.database).delete(
                ada,
                in: World.rival,
                by: .system("test"),
                from: World.origin
            )

            #expect(!deleted)
            #expect(try world.count("users", of: ada) == 1)
            #expect(try world.actions(in: World.rival).isEmpty)
        }
    }
}
