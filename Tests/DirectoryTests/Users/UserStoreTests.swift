import Accounts
import Core
import Crypto
import Directory
import OAuth
import Platform
import Postgres
import Testing

@Suite struct `Users` {
    @Test func `get a sub of their own and sign in with their lower-cased address`() async throws {
        try await withAda { environment, ada in
            let user = try #require(try await environment.users.find(ada, in: .acme))
            let detail = try await environment.details.find(ada, in: .acme, at: .now())
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

            #expect(try environment.count("users") == 1)
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

            try await environment.database.change(in: .acme) { change in
                try await change.query(
                    "INSERT INTO users (team_id, sub) VALUES (\(TeamID.acme), \(Subject(hexadecimal: "b")))")
                do { try await environment.users.create(again, change) } catch UserStore.Failure.loginTaken {}
            }

            #expect(try environment.count("users") == 2)
        }
    }

    @Test func `are found by many ids at once`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            let cleo = try await environment.add("Cleo", to: .rival)

            let found = try await environment.users.find([ada, ben, cleo], in: .acme)

            #expect(Set(found.map(\.subject)) == [ada, ben])
        }
    }

    @Test func `are recorded without name and address`() async throws {
        try await withAda { environment, ada in
            #expect(
                try environment.admin("SELECT action, target FROM audit_events") == [["user.created", ada.rawValue]])
            let log = try environment.log().lowercased()
            #expect(!log.contains("ada@") && !log.contains("lovelace"))
        }
    }
}

@Suite struct `A user's page` {
    @Test func `has consents, sessions and tokens beside the user`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.addWithEverything("Ada", sharing: .shared)

            let detail = try #require(try await environment.details.find(ada, in: .acme, at: .now()))
            let tokens = try await environment.details.refreshTokens(of: ada, in: .acme)

            #expect(detail.user.lastSignInAt != nil)
            #expect(detail.hasPassword)
            #expect(detail.consents.map(\.name) == ["Acme's app"])
            #expect(detail.sessions.map(\.ip) == [Origin.test.ip])
            #expect(detail.sessions.map(\.userAgent) == [Origin.test.userAgent])
            #expect(tokens.map(\.appID) == [ClientID.app])
            #expect(tokens.allSatisfy { $0.revokedAt == nil })
            #expect(try await environment.details.refreshTokens(of: ada, in: .rival).isEmpty)
        }
    }

    @Test func `is there for a user who has nothing yet`() async throws {
        try await withAda { environment, ada in
            let detail = try #require(try await environment.details.find(ada, in: .acme, at: .now()))
            let tokens = try await environment.details.refreshTokens(of: ada, in: .acme)

            #expect(!detail.hasPassword)
            #expect(detail.consents.isEmpty && detail.sessions.isEmpty && tokens.isEmpty)
        }
    }
}

@Suite struct `Deleting a user` {
    @Test func `takes codes, tokens, sessions, consents, password and login name along`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.addWithEverything("Ada", sharing: .hidden)

            let deleted = try await environment.delete(ada, by: .person(ada), reason: "asked for")

            #expect(deleted)
            for table in [
                "users", "login_names", "passwords", "sessions", "consents", "refresh_tokens", "authorization_codes",
            ] { #expect(try environment.count(table, of: ada) == 0, "\(table)") }
            #expect(try environment.actions().last == "user.deleted")
            #expect(try await environment.add("Ada") != ada)
        }
    }

    @Test func `leaves others alone`() async throws {
        try await withAda { environment, ada in
            let ben = try await environment.add("Ben")
            try environment.addApp(ClientID.app)
            try environment.issueTokens(to: ben, app: .app)

            _ = try await environment.delete(ada, by: .person(ada))

            #expect(try environment.count("users", of: ben) == 1)
            #expect(try environment.count("refresh_tokens", of: ben) == 1)
            #expect(try environment.count("authorization_codes", of: ben) == 1)
        }
    }

    @Test func `of the system team ends their memberships`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada", to: .system)
            try environment.addMember(ada, "owner")

            _ = try await environment.delete(ada, by: .member(ada), in: .system)

            #expect(try environment.count("memberships", of: ada) == 0)
        }
    }
}

extension TestEnvironment {
    /// Adds a person of Acme with a password, a session, and an app that they use, with its tokens.
    fileprivate func addWithEverything(_ name: String, sharing email: Consent.EmailChoice) async throws -> Subject {
        let person = try await add(name, password: try Self.cheap.hash("correct horse"))
        try addApp(ClientID.app)
        _ = try await sessions.begin(for: person, in: .acme, from: .test)
        let choice = ConsentChoice(name: PersonName.none, email: email)
        _ = try await consents().grant(choice, of: person, to: .app, in: .acme, from: .test)
        try issueTokens(to: person, app: .app)
        return person
    }
}
