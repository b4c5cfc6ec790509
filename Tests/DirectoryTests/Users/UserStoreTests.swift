import Accounts
import Bytes
import Directory
import Domain
import Postgres
import Testing

@Suite struct `Users` {
    @Test func `get a sub of their own and sign in with their lower-cased address`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")

            let user = try #require(try await environment.users.find(ada, in: .acme))
            let detail = try await UserDetailStore(environment.database).find(ada, in: .acme, at: .now())
            #expect(user.email?.rawValue == "Ada@acme.example")
            #expect(user.name.full == "Ada Lovelace")
            #expect(detail?.logins.map(\.rawValue) == ["ada@acme.example"])
            #expect(ada.rawValue.utf8.count == "000000..0000".utf8.count + 32)
        }
    }

    @Test func `do not share a login name, and a second one leaves nothing behind`() async throws {
        try await withEnvironment { environment in
            try await environment.add("Ada")

            await #expect(throws: UserStore.Failure.loginTaken) { try await environment.add("ada") }

            #expect(try environment.admin("SELECT count(*) FROM users") == [["1"]])
            #expect(try await environment.users.find(try await environment.add("Ben"), in: .acme) != nil)
        }
    }

    @Test func `V15: may have one login name in two teams`() async throws {
        try await withEnvironment { environment in
            let here = try await environment.add("Ada")
            let there = try await environment.add("Ada", to: .rival)

            #expect(here != there)
        }
    }

    @Test func `with a taken login name leave the caller's transaction unharmed`() async throws {
        try await withEnvironment { environment in
            try await environment.add("Ada")
            let email = try #require(EmailAddress(rawValue: "ada@acme.example"))
            let again = NewUser(name: .none, email: email)

            try await environment.database.transaction(in: .acme) { transaction in
                try await transaction.query(
                    "INSERT INTO users (team_id, sub) VALUES (\(TeamID.acme), \(Subject(hexadecimal: "b")))")
                do {
                    try await environment.users.create(
                        again, in: .acme, by: .system("test"), from: TestEnvironment.origin, transaction)
                } catch UserStore.Failure.loginTaken {}
            }

            #expect(try environment.admin("SELECT count(*) FROM users") == [["2"]])
        }
    }

    @Test func `are found by many ids at once`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")
            let ben = try await environment.add("Ben")
            let cleo = try await environment.add("Cleo", to: .rival)

            let found = try await environment.users.find([ada, ben, cleo], in: .acme)

            #expect(Set(found.map(\.subject)) == [ada, ben])
        }
    }

    @Test func `are recorded without name and address`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")

            #expect(
                try environment.admin("SELECT action, target FROM audit_events") == [["user.created", ada.rawValue]])
            let log = try environment.log().lowercased()
            #expect(!log.contains("ada@") && !log.contains("lovelace"))
        }
    }
}
