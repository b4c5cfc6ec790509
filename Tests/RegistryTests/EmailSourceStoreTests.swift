import Audit
import Domain
import Postgres
import Registry
import Testing

@Suite struct `E-mail sources` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))

    @Test func `are added once and removed again`() async throws {
        try await Registered.with { acme in
            let (domain, address) = (try EmailSource(domain: "acme.example"), try EmailSource(address: "a@b.example"))
            _ = try await acme.emailSources.create(.init(source: domain), in: Self.team, by: Self.actor, from: .local)
            _ = try await acme.emailSources.create(.init(source: address), in: Self.team, by: Self.actor, from: .local)

            let twice = await #expect(throws: ValidationError.self) {
                _ = try await acme.emailSources.create(
                    .init(source: domain), in: Self.team, by: Self.actor, from: .local)
            }

            #expect(twice == .sourceTaken("acme.example"))
            #expect(try await acme.emailSources.list(in: Self.team).map(\.source) == [address, domain])
            #expect(try await acme.emailSources.delete(domain, in: Self.team, by: Self.actor, from: .local))
            #expect(try await acme.emailSources.delete(domain, in: Self.team, by: Self.actor, from: .local) == false)
            #expect(
                try await acme.events().map(\.action) == [
                    "email_source.deleted", "email_source.created", "email_source.created",
                ])
        }
    }

    @Test func `name their DKIM selectors, edited by whoever saves first`() async throws {
        try await Registered.with { acme in
            let new = try EmailSource.Draft(parsing: .init(source: "acme.example", selectors: ["s1"]))
            let source = try await acme.emailSources.create(new, in: Self.team, by: Self.actor, from: .local)
            let save: @Sendable ([String]) async throws -> Update<RegisteredEmailSource> = { selectors in
                try await acme.emailSources.update(
                    to: EmailSource.Draft(parsing: .init(source: "acme.example", selectors: selectors)),
                    version: source.version, in: Self.team, by: Self.actor, from: .local)
            }

            guard case .saved(let saved) = try await save(["s1", "2026-11.mail"]) else {
                Issue.record("not saved")
                return
            }
            #expect(saved.selectors.map(\.text) == ["s1", "2026-11.mail"] && saved.version == 2)
            #expect(try await save(["late"]) == .conflict(current: saved))
            #expect(try await acme.events().first?.action == "email_source.updated")
        }
    }

    @Test(arguments: [
        ("", ValidationError.missing), ("s1._domainkey", .selectorWithDomain("s1")),
        ("s1._domainkey.acme.example", .selectorWithDomain("s1")), ("s 1", .selector), ("-s", .selector),
        ("s..1", .selector), ("ß", .selector),
    ]) func `take a selector and nothing around it`(text: String, refusal: ValidationError) {
        let problems = #expect(throws: InvalidFields.self) {
            _ = try EmailSource.Draft(parsing: .init(source: "acme.example", selectors: [text]))
        }
        #expect(problems?.all == [FieldError("selectors[0]", refusal)])
    }
}
