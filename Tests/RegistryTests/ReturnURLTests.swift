import Core
import Crypto
import Platform
import TestSupport
import Testing

@testable import Registry

@Suite struct `A return URL at Pippin itself` {
    private static func own(_ publicURL: String, port: Int? = nil, sample: String? = nil) throws -> OwnAddress {
        let keyRing = KeyRing(current: try MasterKey(id: "test", secret: [UInt8](repeating: 1, count: 32)))
        return OwnAddress(
            ServerContext(
                publicURL: publicURL, port: port, sampleOrigin: sample, relayDomain: "relay.example", keyRing: keyRing))
    }

    private func refusal(_ text: String, apartFrom publicURL: String) throws -> ValidationError? {
        let policy = HostPolicy.hostNamesAndLoopback.apart(from: try Self.own(publicURL))
        do throws(ValidationError) {
            _ = try ReturnURL(parsing: text, on: nil, policy: policy)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "https://id.acme.example/t/ACMETEAM01/auth/callback/apple", "https://id.acme.example",
        "https://ID.acme.example:8443/x", "https://id.acme.example?x=1",
    ]) func `is refused at its host, whatever the port`(text: String) throws {
        #expect(try refusal(text, apartFrom: "https://id.acme.example") == .ownAddress(host: "id.acme.example"))
    }

    @Test func `is refused at its port of this machine alone`() throws {
        let own = "http://localhost:8080"

        #expect(try refusal("http://localhost:8080/x", apartFrom: own) == .ownAddress(host: "localhost"))
        #expect(try refusal("http://localhost:9000/x", apartFrom: own) == nil)
    }

    @Test func `V87: is refused under every name of this machine, at the port where the server listens, too`() throws {
        let hosts = ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]
        let sample = "http://127.0.0.1:8080"
        let policies = [
            try Self.own("http://localhost:8080"), try Self.own("https://id.acme.example", port: 8080),
            try Self.own("http://localhost:8080", port: 8080, sample: sample),
        ].map(HostPolicy.hostNamesAndLoopback.apart(from:))
        for host in hosts {
            for (number, policy) in policies.enumerated() {
                func isTaken(_ text: String) -> Bool { (try? ReturnURL(parsing: text, on: nil, policy: policy)) != nil }
                // The demo's sample app alone is played by the server itself.
                // At another public URL than loopback the port is that of the browser's machine.
                #expect(
                    isTaken("http://\(host):8080/x") == (number == 1 || number == 2 && host == "127.0.0.1"), "\(host)")
                #expect(isTaken("http://\(host):9000/x") && isTaken("http://\(host)/x"), "\(host)")
                let asked = try? NotificationURL(parsing: "http://\(host):8080/hook", policy: policy)
                #expect((asked != nil) == (number == 2 && host == "127.0.0.1"), "\(host)")
            }
        }
    }

    @Test(arguments: ["https://acme.example/x", "https://www.id.acme.example/x", "http://localhost:1/"])
    func `leaves every other host alone`(text: String) throws {
        #expect(try refusal(text, apartFrom: "https://id.acme.example") == nil)
    }
}

@Suite struct `A return URL` {
    private static func refusal(_ text: String, _ domains: [String], _ policy: HostPolicy) -> ValidationError? {
        do throws(ValidationError) {
            var names: [DomainName] = []
            for domain in domains { names.append(try DomainName(parsing: domain, policy: policy)) }
            let url = try ReturnURL(parsing: text, on: names, policy: policy)
            return url.text == text ? nil : .notAbsolute
        } catch { return error }
    }

    @Test(arguments: [
        "https://acme.example/callback", "https://acme.example/callback?type=appleid", "https://acme.example",
        "https://acme.example/", "https://acme.example?x=1", "https://www.acme.example:8443/a/../b//c",
        "https://a.b.acme.example/%E2%82%AC", "https://Acme.Example/Callback", "https://acme.example/a@b:c",
        "https://acme.example/~x;y=(1),'2'!$&*+[3]",
    ]) func `over https on a domain or below one is taken as it is`(text: String) {
        #expect(Self.refusal(text, ["acme.example"], .hostNames) == nil)
    }

    @Test(arguments: [
        ("", ValidationError.missing), ("acme.example/callback", .notAbsolute), ("/callback", .notAbsolute),
        ("//acme.example/callback", .notAbsolute), ("https:acme.example", .notAbsolute),
        ("https:/acme.example/x", .scheme("https")), ("com.acme.app:/callback", .scheme("com.acme.app")),
        ("ftp://acme.example/", .scheme("ftp")), ("javascript://acme.example/", .scheme("javascript")),
        ("HTTPS://acme.example/", .mixedCaseScheme("HTTPS")), ("Http://acme.example/", .mixedCaseScheme("Http")),
        ("http://acme.example/", .unencrypted(host: "acme.example")), ("https://acme.example/#", .fragment),
        ("https://acme.example/x#y", .fragment), ("https://ada@acme.example/", .userInfo),
        ("https://ada:pw@acme.example/", .userInfo), ("https://acme.example@evil.example/", .userInfo),
        ("https://@acme.example/", .userInfo), ("https://acme.example\\@evil.example/", .addressCharacter("\\")),
        ("https://acme.example/a b", .addressCharacter(" ")), (" https://acme.example/", .addressCharacter(" ")),
        ("https://acme.example/\n", .addressCharacter("\n")), ("https://acme.example/\0", .addressCharacter("\0")),
        ("https://acme.example/\u{7F}", .addressCharacter("\u{7F}")),
        ("https://acme.example/é", .addressCharacter("é")), ("https://acmé.example/", .addressCharacter("é")),
        ("https://acme.example/<", .addressCharacter("<")), ("https://acme.example/\"", .addressCharacter("\"")),
        ("https://acme.example/%", .percentEscape), ("https://acme.example/%4", .percentEscape),
        ("https://acme.example/%zz", .percentEscape), ("https://acme.example/%4%41", .percentEscape),
        ("https:///callback", .hostName("")), ("https://:443/", .hostName("")), ("https://", .hostName("")),
        ("https://?x", .hostName("")), ("https://acme/", .hostName("acme")),
        ("https://acme.example./", .hostName("acme.example.")), ("https://.acme.example/", .hostName(".acme.example")),
        ("https://a_b.acme.example/", .hostName("a_b.acme.example")),
        ("https://-a.acme.example/", .hostName("-a.acme.example")),
        ("https://%61cme.example/", .hostName("%61cme.example")), ("https://acme.example:/", .port("")),
        ("https://acme.example:0/", .port("0")), ("https://acme.example:65536/", .port("65536")),
        ("https://acme.example:+1/", .port("+1")), ("https://acme.example:080/", .port("080")),
        ("https://acme.example:80:80/", .port("80:80")), ("https://192.0.2.1/", .ipAddress("192.0.2.1")),
        ("https://0x7f.1/", .ipAddress("0x7f.1")), ("https://2130706433/", .ipAddress("2130706433")),
        ("https://1.2.3.4.5/", .ipAddress("1.2.3.4.5")), ("https://[2001:db8::1]/", .ipAddress("[2001:db8::1]")),
        ("https://[::1/", .ipAddress("[::1")), ("https://[::1]x/", .hostName("[::1]x")),
        ("https://localhost/", .loopbackOutsideSandbox(host: "localhost")),
        ("http://127.0.0.1:9000/callback", .loopbackOutsideSandbox(host: "127.0.0.1")),
        ("https://evil.example/", .outsideDomains(host: "evil.example")),
        ("https://notacme.example/", .outsideDomains(host: "notacme.example")),
        ("https://acme.example.evil.example/", .outsideDomains(host: "acme.example.evil.example")),
        ("https://example/", .hostName("example")),
    ]) func `that breaks a rule is refused by it`(text: String, refusal: ValidationError) {
        #expect(Self.refusal(text, ["acme.example"], .hostNames) == refusal)
        #expect(refusal.message.key.hasPrefix("console.refusals."))
    }

    @Test func `may be as long as 2,048 bytes and no longer`() {
        let stem = "https://acme.example/"
        let longest = stem + String(repeating: "a", count: 2048 - stem.utf8.count)

        #expect(Self.refusal(longest, ["acme.example"], .hostNames) == nil)
        #expect(Self.refusal(longest + "a", ["acme.example"], .hostNames) == .tooLong(limit: 2048))
    }

    @Test(arguments: [
        ("http://127.0.0.1:9000/callback", "127.0.0.1"), ("http://localhost:3000/", "localhost"),
        ("http://apple.localhost/x", "localhost"), ("http://[::1]:8080/x", "[::1]"), ("http://127.1.2.3/", "127.1.2.3"),
    ]) func `of a sandbox may be a loopback address over http`(text: String, domain: String) {
        #expect(Self.refusal(text, [domain], .hostNamesAndLoopback) == nil)
    }

    @Test(arguments: [
        ("https://127.0.0.1/", ValidationError.loopbackOverHTTPS(host: "127.0.0.1")),
        ("http://127.0.0.2/", .outsideDomains(host: "127.0.0.2")), ("http://0.0.0.0/", .ipAddress("0.0.0.0")),
        ("http://127.1/", .ipAddress("127.1")), ("http://127.0.0.01/", .ipAddress("127.0.0.01")),
        ("http://128.0.0.1/", .ipAddress("128.0.0.1")), ("http://127.0.0.256/", .ipAddress("127.0.0.256")),
        ("http://[::ffff:127.0.0.1]/", .ipAddress("[::ffff:127.0.0.1]")),
        ("http://acme.example/", .unencrypted(host: "acme.example")),
        ("http://localhost.acme.example/", .unencrypted(host: "localhost.acme.example")),
    ]) func `of a sandbox keeps every other rule`(text: String, refusal: ValidationError) {
        #expect(Self.refusal(text, ["127.0.0.1", "acme.example"], .hostNamesAndLoopback) == refusal)
    }

    @Test func `made of anything at all never traps`() {
        var generator = Garbage(seed: 1)
        let alphabet = Array("https://[]@:?#%\\.-0x1a é\n\u{0}\u{202E}".unicodeScalars)
        for _ in 0..<1000 {
            var text = Bool.random(using: &generator) ? "https://" : ""
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                alphabet.randomElement(using: &generator).map { text.unicodeScalars.append($0) }
            }
            _ = Self.refusal(text, ["acme.example"], .hostNamesAndLoopback)
            _ = try? DomainName(parsing: text, policy: .hostNamesAndLoopback)
            _ = try? EmailSource(parsing: text)
            _ = ReturnURLComparison(text, with: [ReturnURL(stored: "https://acme.example/callback")])
        }
    }
}

@Suite struct `A domain` {
    private static func refusal(_ text: String, _ policy: HostPolicy = .hostNames) -> ValidationError? {
        do throws(ValidationError) {
            _ = try DomainName(parsing: text, policy: policy)
            return nil
        } catch { return error }
    }

    @Test func `is kept in lower case`() throws {
        #expect(try DomainName(parsing: "Login.Acme.Example", policy: .hostNames).text == "login.acme.example")
        #expect(try DomainName(parsing: "xn--acm-dma.example", policy: .hostNames).text == "xn--acm-dma.example")
    }

    @Test(arguments: [
        ("", ValidationError.missing), ("https://acme.example", .domainWithScheme),
        ("acme.example/", .domainWithScheme), ("acme.example:443", .domainWithScheme), ("*.acme.example", .wildcard),
        ("acme", .hostName("acme")), ("acme..example", .hostName("acme..example")),
        ("acmé.example", .hostName("acmé.example")), ("192.0.2.1", .ipAddress("192.0.2.1")),
        ("localhost", .loopbackOutsideSandbox(host: "localhost")),
        ("127.0.0.1", .loopbackOutsideSandbox(host: "127.0.0.1")), ("acme.example ", .hostName("acme.example ")),
    ]) func `that breaks a rule is refused by it`(text: String, refusal: ValidationError) {
        #expect(Self.refusal(text) == refusal)
    }

    @Test func `has labels of 63 and at most 253 characters`() {
        let label = String(repeating: "a", count: 63)

        #expect(Self.refusal("\(label).example") == nil)
        #expect(Self.refusal("\(label)a.example") == .hostName("\(label)a.example"))
        let long = Array(repeating: label, count: 4).joined(separator: ".")
        #expect(Self.refusal(long) == .hostName(long))
    }

    @Test(arguments: ["127.0.0.1", "localhost", "app.localhost", "[::1]"])
    func `of a sandbox may be a loopback address`(text: String) {
        #expect(Self.refusal(text, .hostNamesAndLoopback) == nil)
    }
}

@Suite struct `The nearest return URL` {
    private static let registered = [
        "https://acme.example/callback", "https://acme.example/other?type=appleid", "https://www.shop.example/",
        "http://127.0.0.1:9000/callback",
    ].map(ReturnURL.init(stored:))

    private static let cases: [(String, String, [ReturnURLComparison.Difference])] = [
        ("https://acme.example/callback", "https://acme.example/callback", []),
        ("https://acme.example/callback/", "https://acme.example/callback", [.trailingSlash]),
        ("https://acme.example/Callback", "https://acme.example/callback", [.letterCase]),
        ("HTTPS://acme.example/callback", "https://acme.example/callback", [.letterCase]),
        ("https://ACME.example/callback", "https://acme.example/callback", [.letterCase]),
        ("https://www.acme.example/callback", "https://acme.example/callback", [.www]),
        ("https://shop.example/", "https://www.shop.example/", [.www]),
        ("http://acme.example/callback", "https://acme.example/callback", [.scheme]),
        ("https://acme.example/callback?x=1", "https://acme.example/callback", [.query]),
        ("https://acme.example/other", "https://acme.example/other?type=appleid", [.query]),
        ("https://acme.example/callback#", "https://acme.example/callback", [.fragment]),
        ("https://acme.example:8443/callback", "https://acme.example/callback", [.port]),
        ("https://acme.example/%63allback", "https://acme.example/callback", [.percentEncoding]),
        ("http://127.0.0.1:9001/callback", "http://127.0.0.1:9000/callback", [.port]),
        ("https://acme.example/elsewhere", "https://acme.example/callback", [.path]),
        ("https://evil.example/callback", "https://acme.example/callback", [.host]),
        (
            "http://www.acme.example/callback/?x", "https://acme.example/callback",
            [.trailingSlash, .www, .scheme, .query]
        ),
    ]

    @Test(arguments: cases) func `is found and the difference named`(
        sent: String, nearest: String, differences: [ReturnURLComparison.Difference]
    ) {
        let comparison = ReturnURLComparison(sent, with: Self.registered)

        #expect(comparison?.nearest.text == nearest)
        #expect(comparison?.differences == differences)
    }

    @Test func `does not exist where none is registered`() {
        #expect(ReturnURLComparison("https://acme.example/", with: []) == nil)
    }
}
