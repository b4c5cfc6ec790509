import Accounts
import Bytes
import Crypto
import Directory
import Domain
import OAuth
import Testing

@Suite struct `A user's page` {
    @Test func `has consents, sessions and tokens beside the user`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada", password: try TestEnvironment.cheap.hash("correct horse"))
            try environment.addApp(TestEnvironment.app)
            _ = try await environment.sessions.begin(for: ada, in: .acme, from: TestEnvironment.origin)
            _ = try await environment.consents().grant(
                ConsentChoice(name: PersonName.none, email: .shared), of: ada, to: TestEnvironment.app, in: .acme,
                from: TestEnvironment.origin)
            try environment.issueTokens(to: ada, app: TestEnvironment.app)

            let store = UserDetailStore(environment.database)
            let detail = try #require(try await store.find(ada, in: .acme, at: .now()))
            let tokens = try await store.refreshTokens(of: ada, in: .acme)

            #expect(detail.user.lastSignInAt != nil)
            #expect(detail.hasPassword)
            #expect(detail.consents.map(\.name) == ["Acme's app"])
            #expect(detail.sessions.map(\.ip) == [TestEnvironment.origin.ip])
            #expect(detail.sessions.map(\.userAgent) == [TestEnvironment.origin.userAgent])
            #expect(tokens.map(\.appID) == [TestEnvironment.app])
            #expect(tokens.allSatisfy { $0.revokedAt == nil })
            #expect(try await store.refreshTokens(of: ada, in: .rival).isEmpty)
        }
    }

    @Test func `is there for a user who has nothing yet`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("Ada")

            let store = UserDetailStore(environment.database)
            let detail = try #require(try await store.find(ada, in: .acme, at: .now()))
            let tokens = try await store.refreshTokens(of: ada, in: .acme)

            #expect(!detail.hasPassword)
            #expect(detail.consents.isEmpty && detail.sessions.isEmpty && tokens.isEmpty)
        }
    }
}
