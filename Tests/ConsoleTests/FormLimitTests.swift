import Bytes
import Directory
import Domain
import Testing

@testable import Console

/// What an account changes is kept before and after, and the room for it is everybody's.
@Suite struct `Forms of one account` {
    private static let path = "/console/ACMETEAM01/app-ids"

    /// Counts as many forms as an account may send but for `left`.
    private func use(_ world: World, leaving left: Int) async throws {
        let rows = try world.admin(
            "SELECT sub FROM users WHERE team_id = 'PIPPIN0000' AND given_name = 'Ada'"
        )
        let ada = try #require(rows.first?.first.flatMap { $0 })
        _ = try await LimitStore(world.parts.database).add(
            FormLimit.most - left,
            to: .account("console-forms", ada),
            window: .seconds(600),
            in: .system,
            at: .now()
        )
    }

    @Test func `V43: are counted, and another account goes on`() async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Ada", [World.acme: .owner])
            var other = try await world.signedIn("Ben", [World.acme: .owner])
            try await use(world, leaving: 2)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await owner.post(Self.path).status) }
            #expect(statuses == [422, 422, 429, 429])

            let refused = try await owner.post(Self.path, [("description", "Pomme")])
            #expect(refused["retry-after"].flatMap { Int($0) }.map { (1...600).contains($0) } == true)
            #expect(refused.text.contains("pippin apply"))
            #expect(try await other.post(Self.path).status == 422)
        }
    }

    @Test func `V43: count by what they hold`() async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Ada", [World.acme: .owner])
            try await use(world, leaving: 8)
            let long = String(repeating: "x", count: 40_000)
            #expect(try await owner.post(Self.path, [("description", long)]).status == 429)
        }
    }
}
