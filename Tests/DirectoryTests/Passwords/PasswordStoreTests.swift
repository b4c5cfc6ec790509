import Crypto
import Domain
import Testing

@testable import Directory

@Suite struct `Setting a password` {
    @Test func `ends all sessions but the one that asked for it`() async throws {
        try await withPasswords { passwords in
            let world = passwords.world
            let ada = try await passwords.ada()
            let kept = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let lost = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let id = try #require(try await world.sessions.find(kept, in: World.acme)).id
            let new = try World.cheap.hash("battery staple")

            let changed = try await PasswordStore(world.database).set(
                new,
                for: ada,
                in: World.acme,
                by: .person(ada),
                from: World.origin,
                keeping: id
            )

            #expect(changed)
            #expect(try await passwords.authenticate().word == "wrong")
            #expect(try await passwords.authenticate("ada@acme.example", "battery staple").word == "success")
            #expect(try await world.sessions.find(kept, in: World.acme) != nil)
            #expect(try await world.sessions.find(lost, in: World.acme) == nil)
            #expect(try world.actions().contains("password.changed"))
        }
    }

    @Test func `by another is a reset, and may be a person's first`() async throws {
        try await withPasswords { passwords in
            let ben = try await passwords.world.add("Ben")

            let changed = try await PasswordStore(passwords.world.database).set(
                passwords.hash,
                for: ben,
                in: World.acme,
                by: .member(try await passwords.ada()),
                from: World.origin
            )

            #expect(changed)
            #expect(try await passwords.authenticate("ben@acme.example").word == "success")
            #expect(try passwords.world.actions() == ["password.reset"])
        }
    }

    @Test func `of Acme's people is nothing Rival can do`() async throws {
        try await withPasswords { passwords in
            let ada = try await passwords.ada()
            let new = try World.cheap.hash("battery staple")

            let changed = try await PasswordStore(passwords.world.database).set(
                new,
                for: ada,
                in: World.rival,
                by: .system("test"),
                from: World.origin
            )

            #expect(!changed)
            #expect(try await passwords.authenticate().word == "success")
        }
    }

    @Test func `is not undone by a better hash of the password before`() async throws {
        try await withPasswords { passwords in
            let store = PasswordStore(passwords.world.database)
            let ada = try await passwords.ada()
            let old = try World.cheap.hash("an older password")

            try await store.replace(
                old,
                with: try World.cheap.hash("an older password"),
                of: ada,
                in: World.acme
            )

            #expect(try await passwords.authenticate().word == "success")
        }
    }
}
