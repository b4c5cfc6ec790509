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

    @Test(arguments: ["v=spf1 mx +all", "v=spf1 mx all"]) func `of SPF that lets everybody send is wrong`(text: String)
    {
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
