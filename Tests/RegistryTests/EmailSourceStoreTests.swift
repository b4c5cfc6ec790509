import Audit
import Domain
import Postgres
import Registry
import Testing

@Suite struct `E-mail sources` {
    private static let (team, actor) = (Registered.acme, Actor.member(.ada))

    @Test func `are added once and removed again`() async throws {
        try await Registered.with { acme in
            let (domain, address) = (
                try EmailSource(domain: "acme.example"), try EmailSource(address: "a@b.example")
            )
            try await acme.emailSources.create(domain, in: Self.team, by: Self.actor, from: .local)
            try await acme.emailSources.create(address, in: Self.team, by: Self.actor, from: .local)

            let twice = await #expect(throws: Refusal.self) {
                try await acme.emailSources.create(domain, in: Self.team, by: Self.actor, from: .local)
            }

            #expect(twice == .sourceTaken("acme.example"))
            #expect(try await acme.emailSources.list(in: Self.team).map(\.source) == [address, domain])
            #expect(try await acme.emailSources.delete(domain, in: Self.team, by: Self.actor, from: .local))
            #expect(
                try await acme.emailSources.delete(domain, in: Self.team, by: Self.actor, from: .local)
                    == false
            )
            #expect(
                try await acme.events().map(\.action) == [
                    "email_source.deleted", "email_source.created", "email_source.created",
                ]
            )
        }
    }

    @Test func `number at most a hundred`() async throws {
        try await Registered.with { acme in
            let race = await Race.of(110) { index in
                let source = try EmailSource(domain: "s\(index).example")
                try await acme.emailSources.create(source, in: Self.team, by: Self.actor, from: .local)
            }

            #expect((race.successes, race.failures) == (100, []))
            #expect(
                race.refusals == Array(repeating: .limitReached(.emailSources, of: "ACMETEAM01"), count: 10)
            )
        }
    }

    @Test func `of another team do not exist`() async throws {
        try await Registered.with { teams in
            let source = try EmailSource(domain: "acme.example")
            try await teams.emailSources.create(source, in: Self.team, by: Self.actor, from: .local)

            #expect(try await teams.emailSources.list(in: Registered.rival).isEmpty)
            let deleted = try await teams.emailSources.delete(
                source,
                in: Registered.rival,
                by: Self.actor,
                from: .local
            )
            #expect(deleted == false)
            try await teams.emailSources.create(source, in: Registered.rival, by: Self.actor, from: .local)
            #expect(try await teams.emailSources.list(in: Self.team).count == 1)
        }
    }
}
