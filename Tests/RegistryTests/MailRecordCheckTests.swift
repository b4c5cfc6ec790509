import DNS
import Domain
import EventLoop
import Postgres
import TestNames
import TestSupport
import Testing

@testable import Registry

@Suite struct `The check of an e-mail source` {
    private static let (team, actor) = (TeamID.acme, Actor.member(.ada))
    private static let key = "v=DKIM1; p=" + String(repeating: "QUJD", count: 100)

    /// Acme's e-mail source with two selectors, and a name server that knows these names.
    private func withSource(
        _ text: String, _ names: [String: TestNameServer.Behaviour], timeout: Duration = .testTimeout,
        _ body: @escaping @Sendable (Registered, RegisteredEmailSource, MailRecordCheck) async throws -> Void
    ) async throws {
        try await Registered.with { acme in
            let server = try TestNameServer(on: acme.loop)
            defer { server.close() }
            server.names = names
            var options = Resolver.Options()
            options.servers = [server.address]
            options.timeout = timeout
            options.tries = 1
            let resolver = try Resolver(on: acme.loop, options)
            defer { resolver.close() }
            let draft = try EmailSource.Draft(parsing: .init(source: text, selectors: ["S1", "s2"]))
            let source = try await acme.emailSources.create(draft, in: Self.team, by: Self.actor, from: .local)
            try await body(acme, source, MailRecordCheck(resolver, deadline: .testTimeout))
        }
    }

    @Test(arguments: ["acme.example", "ada@acme.example"])
    func `asks for SPF and for every selector, and keeps what it saw`(text: String) async throws {
        // A key of 2,048 bits comes in two strings, and often over TCP.
        let halves = [String(Self.key.prefix(255)), String(Self.key.dropFirst(255))]
        let names: [String: TestNameServer.Behaviour] = [
            "acme.example": .records([["v=spf1 ", "mx -all"], ["site=1"]]),
            "s1._domainkey.acme.example": .truncated([halves]),
        ]
        try await withSource(text, names) { acme, source, check in
            #expect(source.records.map(\.state) == [.pending, .pending, .pending] && source.state == .pending)

            let records = await check.run(source)
            let noted = try await acme.emailSources.note(records, of: source.source, in: Self.team)
            let known = try #require(noted)

            #expect(known.records == records && known.checkedAt != nil && known.state == .missing)
            #expect(records.map(\.state) == [.ok, .ok, .missing])
            #expect(
                records.map(\.name) == ["acme.example", "s1._domainkey.acme.example", "s2._domainkey.acme.example"])
            #expect(records.map(\.seen) == [["v=spf1 mx -all"], [Self.key], []])
            #expect(try await acme.emailSources.takeDue(limit: 5, in: Self.team).isEmpty)
        }
    }

    @Test func `is not misled by name servers that fail`() async throws {
        let names = ["acme.example", "s1._domainkey.acme.example", "s2._domainkey.acme.example"]
        func expect(_ detail: String?, of behaviours: [TestNameServer.Behaviour], within timeout: Duration) async throws
        {
            let names = Dictionary(uniqueKeysWithValues: zip(names, behaviours))
            try await withSource("acme.example", names, timeout: timeout) { _, source, check in
                let records = await check.run(source)

                #expect(records.map(\.state) == [.pending, .pending, .pending])
                #expect(records.map(\.fault) == [.notAnswered, .notAnswered, .notAnswered])
                #expect(records.map(\.detail) == [detail, detail, detail])
            }
        }
        try await expect(nil, of: [.code(2), .malformed, .code(5)], within: .testTimeout)
        try await expect("timeout", of: [.silence, .silence, .silence], within: .milliseconds(100))
    }

    @Test func `V55: keeps little of what a name server of anybody's says`() async throws {
        // Each octet is shown as a character of three.
        let text = Array(repeating: String(repeating: "\u{1}", count: 250), count: 8)
        let spf = Array(repeating: ["v=spf1 "] + text, count: 30)
        let keys = Array(repeating: text, count: 30)
        let names: [String: TestNameServer.Behaviour] = [
            "acme.example": .truncated(spf), "s1._domainkey.acme.example": .truncated(keys),
            "s2._domainkey.acme.example": .truncated([text]),
        ]
        try await withSource("acme.example", names) { acme, source, check in
            let records = await check.run(source)
            _ = try await acme.emailSources.note(records, of: source.source, in: Self.team)

            #expect(records.map(\.fault) == [.several, .several, .syntax])
            let octets = try await acme.number(
                "SELECT max(octet_length(records::text)) FROM email_sources WHERE team_id = \(Self.team)")
            #expect((4000...20_000).contains(octets))
            let known = try await acme.emailSources.find("acme.example", in: Self.team)
            #expect(known?.records == records)
            let listed = try await acme.emailSources.list(in: Self.team).flatMap(\.records)
            #expect(listed.map(\.state) == records.map(\.state) && listed.map(\.name) == records.map(\.name))
            #expect(listed.allSatisfy { $0.seen.isEmpty && $0.detail == nil && $0.advice == nil })
        }
    }

    @Test func `takes hostile texts as texts`() async throws {
        let text = "v=spf1 <script>\u{1}\u{FF} -all"
        try await withSource("acme.example", ["acme.example": .text(text)]) { acme, source, check in
            let records = await check.run(source)
            let noted = try await acme.emailSources.note(records, of: source.source, in: Self.team)

            #expect(records[0].state == .wrong && records[0].fault == .syntax)
            #expect(noted?.records == records)
        }
    }
}
