import Accounts
import Crypto
import Directory
import Domain
import OAuth
import Testing

@Suite struct `Deleting a user` {
    @Test func `takes codes, tokens, sessions, consents, password and login name along`() async throws {
        try await withEnvironment { environment in
            let hash = try TestEnvironment.cheap.hash("correct horse")
            let ada = try await environment.add("Ada", password: hash)
            try environment.addApp(TestEnvironment.app)
            _ = try await environment.sessions.begin(for: ada, in: .acme, from: TestEnvironment.origin)
            _ = try await environment.consents().grant(
                ConsentChoice(name: nil, email: .hidden), of: ada, to: TestEnvironment.app, in: .acme,
                from: TestEnvironment.origin)
            try environment.issueTokens(to: ada, app: TestEnvironment.app)
            let store = UserDeletionStore(environment.database)

            let deleted = try await store.delete(
                ada, in: .acme, by: .person(ada), from: TestEnvironment.origin, reason: "asked for")

            #expect(deleted)
            for table in [
                "users", "login_names", "passwords", "sessions", "consents", "refresh_tokens", "authorization_codes",
            ] { #expect(try environment.count(table, of: ada) == 0, "\(table)") }
            #expect(try environment.actions().last == "user.deleted")
            #expect(try await environment.add("Ada") != ada)
        }
    }

    @Test func `leaves others alone`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")
            let ben = try await environment.add("Ben")
            try environment.addApp(TestEnvironment.app)
            try environment.issueTokens(to: ben, app: TestEnvironment.app)

            _ = try await UserDeletionStore(environment.database).delete(
                ada, in: .acme, by: .person(ada), from: TestEnvironment.origin)

            #expect(try environment.count("users", of: ben) == 1)
            #expect(try environment.count("refresh_tokens", of: ben) == 1)
            #expect(try environment.count("authorization_codes", of: ben) == 1)
        }
    }

    @Test func `of the system team ends their memberships`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada", to: .system)
            try environment.admin(
                "INSERT INTO memberships (team_id, sub, role) VALUES ('ACMETEAM01', $1, 'owner')", ada.rawValue)

            _ = try await UserDeletionStore(environment.database).delete(
                ada, in: .system, by: .member(ada), from: TestEnvironment.origin)

            #expect(try environment.count("memberships", of: ada) == 0)
        }
    }
}
