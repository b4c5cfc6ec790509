import Bytes
import Crypto
import Directory
import Domain
import Testing

@Suite struct `A user's page` {
    @Test func `has consents, sessions and tokens beside the user`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada", password: try World.cheap.hash("correct horse"))
            try world.addApp(World.app)
            _ = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            _ = try await world.consents().grant(
                ConsentChoice(name: PersonName.none, email: .shared),
                of: ada,
                to: World.app,
                in: World.acme,
                from: World.origin
            )
            try world.issueTokens(to: ada, app: World.app)

            let store = UserDetailStore(world.database)
            let detail = try #require(try await store.find(ada, in: World.acme, at: .now()))
            let tokens = try await store.refreshTokens(of: ada, in: World.acme)

            #expect(detail.user.lastSignInAt != nil)
            #expect(detail.hasPassword)
            #expect(detail.consents.map(\.name) == ["Acme's app"])
            #expect(detail.sessions.map(\.ip) == [World.origin.ip])
            #expect(detail.sessions.map(\.userAgent) == [World.origin.userAgent])
            #expect(tokens.map(\.appID) == [World.app])
            #expect(tokens.allSatisfy { $0.revokedAt == nil })
            #expect(try await store.refreshTokens(of: ada, in: World.rival).isEmpty)
        }
    }

    @Test func `is there for a user who has nothing yet`() async throws {
        try await withWorld { world in
            let ada = try await world.add("Ada")

            let store = UserDetailStore(world.database)
            let detail = try #require(try await store.find(ada, in: World.acme, at: .now()))
            let tokens = try await store.refreshTokens(of: ada, in: World.acme)

            #expect(!detail.hasPassword)
            #expect(detail.consents.isEmpty && detail.sessions.isEmpty && tokens.isEmpty)
        }
    }
}
