import Core
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@Suite struct `Service IDs` {
    @Test func `are saved with domains and return URLs in one step`() async throws {
        try await Registered.withApp { acme in
            let draft = try ServiceID.Draft.sample(
                domains: ["shop.example", "acme.example"],
                returnURLs: ["https://www.shop.example/z", "https://acme.example/a?b=c"])

            let made = try await acme.serviceIDs.create(draft)

            #expect(made.draft == draft)
            #expect(made.returnURLs.map(\.text) == ["https://www.shop.example/z", "https://acme.example/a?b=c"])
            #expect(try await acme.serviceIDs.find(made.identifier, in: .acme) == made)
            let event = try #require(try await acme.events().first)
            #expect(event.action == "service_id.created")
            #expect(event.after?.contains(#""domains": ["acme.example", "shop.example"]"#) == true)
        }
    }

    @Test func `that change replace domains and return URLs together`() async throws {
        try await Registered.withApp { acme in
            let made = try await acme.makeService()
            let draft = try ServiceID.Draft.sample(
                domains: ["shop.example"], returnURLs: ["https://shop.example/b", "https://shop.example/a"])

            let saved = try await acme.serviceIDs.update(to: draft, version: made.version)
            let late = try await acme.serviceIDs.update(to: made.draft, version: made.version)

            guard case .saved(let current) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect((current.draft, current.version) == (draft, 2))
            #expect(late == .conflict(current: current))
            #expect(
                try await acme.events().map(\.action) == ["service_id.updated", "service_id.created", "app_id.created"])
        }
    }

    @Test func `make room for another when one is deleted`() async throws {
        try await Registered.withApp { acme in
            for number in 1...5 { try await acme.makeService("com.acme.web\(number)") }

            let gone = try await acme.serviceIDs.delete(.named("com.acme.web3"), reason: "unused")
            try await acme.makeService("com.acme.web6")

            #expect(gone?.identifier.rawValue == "com.acme.web3")
            #expect(try await acme.number("SELECT rank FROM service_ids WHERE identifier = 'com.acme.web6'") == 3)
        }
    }

    @Test func `V46: have exactly ten return URLs after fifty people added one each at once`() async throws {
        try await Registered.withApp { acme in
            let made = try await acme.serviceIDs.create(.sample(returnURLs: []))

            let added = try await race(50) { index in
                do {
                    try await Self.add("https://acme.example/\(index)", to: made.identifier, acme)
                    return true
                } catch let problems as FieldErrors {
                    // The eleventh is none of a Service ID's, as the form says.
                    #expect(problems.all.map(\.path.description) == ["returnURLs"])
                    return false
                }
            }

            #expect(added.count { $0 } == 10)
            let now = try await acme.serviceIDs.find(made.identifier, in: .acme)
            #expect(now?.returnURLs.count == 10)
            #expect(now?.version == 11)
        }
    }

    /// Adds a return URL as the console does: to the version it has seen, again when another was faster.
    private static func add(_ url: String, to identifier: ClientID, _ acme: Registered) async throws {
        while true {
            let seen = try #require(try await acme.serviceIDs.find(identifier, in: .acme))
            let answer = try await acme.serviceIDs.update(
                to: .sample(returnURLs: seen.returnURLs.map(\.text) + [url]), version: seen.version)
            if case .saved = answer { return }
        }
    }

    @Test func `cannot hold an eleventh return URL whatever is written`() async throws {
        try await Registered.withApp { acme in
            let urls = (1...10).map { "https://acme.example/\($0)" }
            try await acme.serviceIDs.create(.sample(returnURLs: urls))

            await #expect(throws: (any Error).self) {
                try await acme.database.query(
                    """
                    INSERT INTO return_urls (team_id, service_id, rank, url)
                    VALUES ('ACMETEAM01', 'com.acme.web', 11, 'https://acme.example/11')
                    """, in: .acme)
            }
        }
    }

    @Test func `need an App ID of the team, and stay with it`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp("com.rival.app", in: .rival)
            await #expect(throws: ValidationError.unknownAppID(.named("com.rival.app"))) {
                try await acme.makeService(of: "com.rival.app")
            }
            for name in ["com.acme.app", "com.acme.tv"] { try await acme.makeApp(name) }
            try await acme.makeService()
            await #expect(throws: ValidationError.belongsToAppID(.named("com.acme.app"))) {
                try await acme.serviceIDs.update(to: .sample(of: "com.acme.tv"))
            }
        }
    }

    @Test func `come in pages with the names of their App IDs`() async throws {
        try await Registered.with { acme in
            for name in ["com.acme.app", "com.acme.tv"] { try await acme.makeApp(name) }
            for name in ["com.acme.web1", "com.acme.web2"] { try await acme.makeService(name) }
            try await acme.makeService("com.acme.tv.web", of: "com.acme.tv")

            let all = try await acme.serviceIDs.list(PageQuery(limit: 2), in: .acme)
            let rest = try await acme.serviceIDs.list(PageQuery(after: all.next, limit: 2), in: .acme)
            let ofTV = try await acme.serviceIDs.list(of: .named("com.acme.tv"), in: .acme)

            #expect(all.items.map(\.identifier.rawValue) == ["com.acme.tv.web", "com.acme.web1"])
            #expect(all.items.first?.appDescription == "Acme")
            #expect((all.items.first?.domains, all.items.first?.returnURLs) == (1, 1))
            #expect((rest.items.map(\.identifier.rawValue), rest.total) == (["com.acme.web2"], 3))
            #expect((ofTV.total, ofTV.items.count) == (1, 1))
        }
    }
}
