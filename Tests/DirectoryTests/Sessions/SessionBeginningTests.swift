import Directory
import Domain
import Postgres
import Testing

/// Sessions of proofs that were kept until then.
@Suite struct SessionBeginningTests {
    @Test func `begin with the proofs they take, or not at all`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.add("ada")
            let old = try await environment.sessions.begin(for: ada, in: .acme, from: TestEnvironment.origin)
            let beginning = SessionStore.Beginning(
                of: ada, by: [.password], to: nil, from: TestEnvironment.origin, replacing: old,
                at: TestEnvironment.noon)

            let taken = try await environment.sessions.begin(
                beginning, taking: SessionStore.Proofs(takenBy: "SELECT '' AS sub WHERE false"), in: .acme)
            #expect(taken == nil)
            #expect(try await environment.sessions.find(old, in: .acme) != nil)
            #expect(try environment.actions() == ["sign_in.completed"])

            let new = try await environment.sessions.begin(
                beginning, taking: SessionStore.Proofs(takenBy: "SELECT \(ada)::text AS sub"), in: .acme)
            #expect(try await environment.sessions.find(try #require(new), in: .acme)?.user.subject == ada)
            #expect(try await environment.sessions.find(old, in: .acme) == nil)
        }
    }
}
