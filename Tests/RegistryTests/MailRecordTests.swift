import Core
import EventLoop
import HTTP
import Platform
import Postgres
import TestNames
import TestSupport
import Testing

@testable import Registry

@Suite struct `A mail record` {
    @Test(arguments: [
        "v=spf1", "v=spf1 -all", "V=SPF1 MX ~ALL", "v=spf1 include:_spf.mail.example -all",
        "v=spf1 a mx a:out.acme.example mx/24 a/24//64 a//64 ptr ?all",
        "v=spf1 ip4:192.0.2.1 ip4:192.0.2.0/24 ip6:2001:db8::1 ip6:2001:db8::/32 ip6:::1 ~all",
        "v=spf1 ip6:1:2:3:4:5:6:7:8 ip6:::ffff:192.0.2.1 -all",
        "v=spf1 exists:%{i}._spf.acme.example redirect=_spf.acme.example exp=why.acme.example",
        "v=spf1 unknown-modifier=x -all",
    ]) func `of SPF is taken`(text: String) {
        let record = MailRecord.spf("acme.example", in: ["site=1", text, "v=spf10 all"])

        #expect(record.state == .ok && record.seen == [text] && record.fault == nil, "\(record)")
    }

    @Test(arguments: [
        ("v=spf1 foo -all", "foo"), ("v=spf1 include: -all", "include:"), ("v=spf1 include -all", "include"),
        ("v=spf1 ip4:192.0.2 -all", "ip4:192.0.2"), ("v=spf1 ip4:192.0.2.1/33", "ip4:192.0.2.1/33"),
        ("v=spf1 ip4=192.0.2.1 -all", "ip4=192.0.2.1"), ("v=spf1 ip6:2001:db8::g", "ip6:2001:db8::g"),
        ("v=spf1 ip6:1:2:3 -all", "ip6:1:2:3"), ("v=spf1 ip6:1::2::3 -all", "ip6:1::2::3"), ("v=spf1 -all:x", "-all:x"),
        ("v=spf1 redirect=a.example redirect=b.example", "redirect"), ("v=spf1 mx/33 -all", "mx/33"),
        ("v=spf1 mx/ -all", "mx/"), ("v=spf1, -all", ""),
    ]) func `of SPF that does not parse names the part`(text: String, part: String) {
        let record = MailRecord.spf("acme.example", in: [text])

        // What does not begin as SPF is none.
        if part.isEmpty { return #expect(record.state == .missing) }
        #expect(record.state == .wrong && record.fault == .syntax && record.detail == part, "\(record)")
    }

    @Test func `of SPF is missing where there are other texts alone, and one to begin with is given`() {
        let record = MailRecord.spf("acme.example", in: ["google-site-verification=1", "spf1 -all"])

        #expect(record.state == .missing && record.advice == "v=spf1 mx ~all")
    }

    @Test func `of SPF that stands there twice is to be joined`() {
        let record = MailRecord.spf("acme.example", in: ["v=spf1 mx a -all", "v=spf1 include:x.example a ~all"])

        #expect(record.state == .wrong && record.fault == .several && record.seen.count == 2)
        #expect(record.advice == "v=spf1 mx a include:x.example ~all")
    }

    @Test(arguments: ["v=spf1 mx +all", "v=spf1 mx all"]) func `of SPF that lets anybody send is wrong`(text: String) {
        let record = MailRecord.spf("acme.example", in: [text])

        #expect(record.state == .wrong && record.fault == .allowsEveryone && record.advice == "v=spf1 mx ~all")
    }

    private static let key = String(repeating: "QUJD", count: 20)

    @Test(arguments: [
        "v=DKIM1; k=rsa; p=\(key)", "p=\(key)", "v=DKIM1;p=\(key);", "k=ed25519; p=\(key)",
        " v = DKIM1 ; t=s ; p = QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD QUJDQUJDQUJDQUJD",
    ]) func `of DKIM is taken`(text: String) {
        #expect(MailRecord.dkim("s1._domainkey.acme.example", in: [text]).state == .ok)
    }

    @Test(arguments: [
        ("v=DKIM1; p=", MailRecord.Fault.revoked), ("v=DKIM1; k=rsa", .key), ("v=DKIM1; p=!!!", .key),
        ("v=DKIM1; p=QUJD", .key), ("v=DKIM2; p=\(key)", .version), ("p=\(key); v=DKIM1", .version),
        ("v=DKIM1; k=dsa; p=\(key)", .keyType), ("v=DKIM1; p", .syntax), ("p=\(key); p=\(key)", .syntax),
        ("v=spf1 -all", .version), ("hello", .syntax), ("", .key),
    ]) func `of DKIM that cannot be used says why`(text: String, fault: MailRecord.Fault) {
        let record = MailRecord.dkim("s1._domainkey.acme.example", in: [text])

        #expect(record.state == .wrong && record.fault == fault, "\(record)")
    }

    @Test func `V55: is kept in a few texts, however many a name server has`() {
        let texts = (1...3000).map { "v=spf1 ip4:192.0.2.1 include:\($0).acme.example -all" }
        let long = Array(repeating: "v=spf1 " + String(repeating: "x", count: 1990), count: 3)

        let many = MailRecord.spf("acme.example", in: ["site=1"] + texts)
        #expect(many.fault == .several && many.seen == Array(texts.prefix(10)) && many.advice == nil)
        let key = MailRecord.dkim("s1._domainkey.acme.example", in: texts)
        #expect(key.fault == .several && key.seen == Array(texts.prefix(10)))
        #expect(MailRecord.spf("acme.example", in: long).seen == Array(long.prefix(2)))
    }

    @Test func `of DKIM is missing, or there twice`() {
        let name = "s1._domainkey.acme.example"

        #expect(MailRecord.dkim(name, in: []).state == .missing)
        #expect(MailRecord.dkim(name, in: ["p=\(Self.key)", "p=\(Self.key)"]).fault == .several)
    }
}

@Suite struct `The check of an email source` {
    private static let key = "v=DKIM1; p=" + String(repeating: "QUJD", count: 100)

    /// Acme's email source with two selectors, and a name server that knows these names.
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
            let draft = try EmailSource.Draft(text, ["selectors": ["S1", "s2"]])
            let source = try await acme.emailSources.create(draft)
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
            let noted = try await acme.emailSources.note(records, of: source.source, in: .acme)
            let known = try #require(noted)

            #expect(known.records == records && known.checkedAt != nil && known.state == .missing)
            #expect(records.map(\.state) == [.ok, .ok, .missing])
            #expect(
                records.map(\.name) == ["acme.example", "s1._domainkey.acme.example", "s2._domainkey.acme.example"])
            #expect(records.map(\.seen) == [["v=spf1 mx -all"], [Self.key], []])
            #expect(try await acme.emailSources.takeDue(limit: 5, in: .acme).isEmpty)
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
            _ = try await acme.emailSources.note(records, of: source.source, in: .acme)

            #expect(records.map(\.fault) == [.several, .several, .syntax])
            let octets = try await acme.number(
                "SELECT max(octet_length(records::text)) FROM email_sources WHERE team_id = \(TeamID.acme)")
            #expect((4000...20_000).contains(octets))
            let known = try await acme.emailSources.find("acme.example", in: .acme)
            #expect(known?.records == records)
            let listed = try await acme.emailSources.list(in: .acme).flatMap(\.records)
            #expect(listed.map(\.state) == records.map(\.state) && listed.map(\.name) == records.map(\.name))
            #expect(listed.allSatisfy { $0.seen.isEmpty && $0.detail == nil && $0.advice == nil })
        }
    }

    @Test func `takes hostile texts as texts`() async throws {
        let text = "v=spf1 <script>\u{1}\u{FF} -all"
        try await withSource("acme.example", ["acme.example": .text(text)]) { acme, source, check in
            let records = await check.run(source)
            let noted = try await acme.emailSources.note(records, of: source.source, in: .acme)

            #expect(records[0].state == .wrong && records[0].fault == .syntax)
            #expect(noted?.records == records)
        }
    }
}
