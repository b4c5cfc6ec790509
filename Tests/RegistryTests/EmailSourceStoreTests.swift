import Core
import Platform
import Postgres
import Registry
import Testing

@Suite struct `Email sources` {
    @Test func `are added once and removed again`() async throws {
        try await Registered.with { acme in
            let (domain, address) = (try EmailSource(parsing: "acme.example"), try EmailSource(parsing: "a@b.example"))
            try await acme.emailSources.create(.init(source: domain))
            try await acme.emailSources.create(.init(source: address))

            await #expect(throws: ValidationError.sourceTaken("acme.example")) {
                try await acme.emailSources.create(.init(source: domain))
            }
            #expect(try await acme.emailSources.list(in: .acme).map(\.source) == [address, domain])
            #expect(try await acme.emailSources.delete(domain))
            #expect(try await acme.emailSources.delete(domain) == false)
            #expect(
                try await acme.events().map(\.action) == [
                    "email_source.deleted", "email_source.created", "email_source.created",
                ])
        }
    }

    @Test func `name their DKIM selectors, edited by whoever saves first`() async throws {
        try await Registered.with { acme in
            let new = try EmailSource.Draft("acme.example", ["selectors": ["s1"]])
            let source = try await acme.emailSources.create(new)
            let save: @Sendable ([String]) async throws -> Update<RegisteredEmailSource> = { selectors in
                try await acme.emailSources.update(
                    to: EmailSource.Draft("acme.example", ["selectors": .strings(selectors)]), version: source.version)
            }

            guard case .saved(let saved) = try await save(["s1", "2026-11.mail"]) else {
                return #expect(Bool(false), "not saved")
            }
            #expect(saved.settings.selectors.map(\.text) == ["s1", "2026-11.mail"] && saved.version == 2)
            #expect(try await save(["late"]) == .conflict(current: saved))
            #expect(try await acme.events().first?.action == "email_source.updated")
        }
    }

    @Test(arguments: [
        ("", ValidationError.missing), ("s1._domainkey", .selectorWithDomain("s1")),
        ("s1._domainkey.acme.example", .selectorWithDomain("s1")), ("s 1", .selector), ("-s", .selector),
        ("s..1", .selector), ("ß", .selector),
    ]) func `take a selector and nothing around it`(text: String, refusal: ValidationError) {
        let problems = #expect(throws: FieldErrors.self) {
            _ = try EmailSource.Draft("acme.example", ["selectors": .strings([text])])
        }
        #expect(problems == FieldErrors(FieldPath("selectors")[0], refusal.message))
    }
}
