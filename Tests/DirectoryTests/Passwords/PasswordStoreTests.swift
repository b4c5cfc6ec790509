import Crypto
import Domain
import Testing

@testable import Directory

@Suite struct `Setting a password` {
    @Test func `ends all sessions but the one that asked for it`() async throws {
        try await withPasswords { passwords in
            let environment = passwords.environment
            let ada = try await passwords.ada()
            let kept = try await environment.sessions.begin(for: ada, in: .acme, from: TestEnvironment.origin)
            let lost = try await environment.sessions.begin(for: ada, in: .acme, from: TestEnvironment.origin)
            let id = try #require(try await environment.sessions.find(kept, in: .acme)).id
            let new = try TestEnvironment.cheap.hash("battery staple")

            let changed = try await PasswordStore(environment.database).set(
                new, for: ada, in: .acme, by: .person(ada), from: TestEnvironment.origin, keeping: id)

            #expect(changed)
            #expect(try await passwords.authenticate().word == "wrong")
            #expect(try await passwords.authenticate("ada@acme.example", "battery staple").word == "success")
            #expect(try await environment.sessions.find(kept, in: .acme) != nil)
            #expect(try await environment.sessions.find(lost, in: .acme) == nil)
            #expect(try environment.actions().contains("password.changed"))
        }
    }

    @Test func `by another is a reset, and may be a person's first`() async throws {
        try await withPasswords { passwords in
            let ben = try await passwords.environment.add("Ben")

            let changed = try await PasswordStore(passwords.environment.database).set(
                passwords.hash, for: ben, in: .acme, by: .member(try await passwords.ada()),
                from: TestEnvironment.origin)

            #expect(changed)
            #expect(try await passwords.authenticate("ben@acme.example").word == "success")
            #expect(try passwords.environment.actions() == ["password.reset"])
        }
    }

    @Test func `is not undone by a better hash of the password before`() async throws {
        try await withPasswords { passwords in
            let store = PasswordStore(passwords.environment.database)
            let ada = try await passwords.ada()
            let old = try TestEnvironment.cheap.hash("an older password")

            try await store.replace(old, with: try TestEnvironment.cheap.hash("an older password"), of: ada, in: .acme)

            #expect(try await passwords.authenticate().word == "success")
        }
    }
}
