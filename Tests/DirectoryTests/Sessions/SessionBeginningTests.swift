import Directory
import Domain
import Postgres
import Testing

/// Sessions of proofs that were kept until then.
@Suite struct SessionBeginningTests {
    @Test func `begin with the proofs they take, or not at all`() async throws {
        try await withWorld { world in
            let ada = try await world.add("ada")
            let old = try await world.sessions.begin(for: ada, in: World.acme, from: World.origin)
            let beginning = SessionStore.Beginning(
                of: ada,
                by: [.password],
                to: nil,
                from: World.origin,
                replacing: old,
                at: World.noon
            )

            let taken = try await world.sessions.begin(
                beginning,
                taking: SessionStore.Proofs(takenBy: "SELECT '' AS sub WHERE false"),
                in: World.acme
            )
            #expect(taken == nil)
            #expect(try await world.sessions.find(old, in: World.acme) != nil)
            #expect(try world.actions() == ["sign_in.completed"])

            let new = try await world.sessions.begin(
                beginning,
                taking: SessionStore.Proofs(takenBy: "SELECT \(ada)::text AS sub"),
                in: World.acme
            )
            #expect(try await world.sessions.find(try #require(new), in: World.acme)?.user.subject == ada)
            #expect(try await world.sessions.find(old, in: World.acme) == nil)
        }
    }
}
