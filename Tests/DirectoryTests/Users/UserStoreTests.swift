import Bytes
import Directory
import Domain
import Postgres
import Testing

@Suite struct `Users` {
    @Test func `get a sub of their own and sign in with their lower-cased address`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            let user = try #require(try await world.users.find(ada, in: World.acme))
            let detail = try await UserDetailStore(world.database).find(ada, in: World.acme, at: .now())
            #expect(user.email?.rawValue == "Ada@acme.example")
            #expect(user.name.full == "Ada Lovelace")
            #expect(detail?.logins.map(\.rawValue) == ["ada@acme.example"])
            #expect(ada.rawValue.utf8.count == "000000..0000".utf8.count + 32)
        }
    }

    @Test func `do not share a login name, and a second one leaves nothing behind`() async throws {
        try await withWorld { world in
            try await world.add("Ada")

            await #expect(throws: UserStore.Failure.loginTaken) { try await world.add("ada") }

            #expect(try world.admin("SELECT count(*) FROM users") == [["1"]])
            #expect(try await world.users.find(try await world.add("Ben"), in: World.acme) != nil)
        }
    }

    @Test func `are created once when 50 requests want one login name`() async throws {
        try await withWorld { world in
            let created = try await inParallel(50) { _ in
                do {
                    try await world.add("Ada")
                    return true
                } catch UserStore.Failure.loginTaken {
                    return false
                }
            }

            #expect(created.count { $0 } == 1)
            #expect(try world.admin("SELECT count(*) FROM users") == [["1"]])
        }
    }

    @Test func `V15: may have one login name in two teams`() async throws {
        try await withWorld { world in
            let here = try await world.add("Ada")
            let there = try await world.add("Ada", to: World.rival)

            #expect(here != there)
        }
    }

    @Test func `with a taken login name leave the caller's transaction unharmed`() async throws {
        try await withWorld { world in
            try await world.add("Ada")
            let email = try #require(EmailAddress(rawValue: "ada@acme.example"))
            let again = NewUser(name: .none, email: email)

            try await world.database.transaction(in: World.acme) { transaction in
                try await transaction.query(
                    "INSERT INTO users (team_id, sub) VALUES (\(World.acme), \(Subject(hexadecimal: "b")))"
                )
                do {
                    try await world.users.create(
                        again,
                        in: World.acme,
                        by: .system("test"),
                        from: World.origin,
                        transaction
                    )
                } catch UserStore.Failure.loginTaken {}
            }

            #expect(try world.admin("SELECT count(*) FROM users") == [["2"]])
        }
    }

    @Test func `are found by many ids at once`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")
            let ben = try await world.add("Ben")
            let cleo = try await world.add("Cleo", to: World.rival)

            let found = try await world.users.find([ada, ben, cleo], in: World.acme)

            #expect(Set(found.map(\.subject)) == [ada, ben])
        }
    }

    @Test func `of Acme do not exist for Rival`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            #expect(try await world.users.find(ada, in: World.rival) == nil)
            #expect(try await UserDetailStore(world.database).find(ada, in: World.rival, at: .now()) == nil)
        }
    }

    @Test func `are recorded without name and address`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            #expect(
                try world.admin("SELECT action, target FROM audit_events") == [
                    ["user.created", ada.rawValue]
                ]
            )
            let log = try world.log().lowercased()
            #expect(!log.contains("ada@") && !log.contains("lovelace"))
        }
    }
}
