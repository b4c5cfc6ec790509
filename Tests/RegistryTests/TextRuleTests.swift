import Core
import Crypto
import Platform
import Testing

@testable import Registry

@Suite struct `An identifier` {
    private static func refusal(_ text: String) -> ValidationError? {
        do throws(ValidationError) { return try ClientID(parsing: text).rawValue == text ? nil : .missing } catch {
            return error
        }
    }

    @Test(arguments: ["com.acme.app", "a.b", "COM.Acme-2.App", "1.2", "-.-"])
    func `in reverse-DNS form is taken as it is`(text: String) { #expect(Self.refusal(text) == nil) }

    @Test(arguments: [
        ("", ValidationError.missing), ("acme", .identifierShape), (".acme", .identifierShape),
        ("com.acme.", .identifierShape), ("com..acme", .identifierShape), ("com.acme app", .identifierCharacter(" ")),
        ("com.acme_app", .identifierCharacter("_")), ("com.acmé", .identifierCharacter("é")),
        ("com.acme/../x", .identifierCharacter("/")), ("com.acme*", .identifierCharacter("*")),
        ("ABCDE12345.com.acme.app", .teamPrefix(without: "com.acme.app")),
    ]) func `that breaks a rule is refused by it`(text: String, refusal: ValidationError) {
        #expect(Self.refusal(text) == refusal)
    }

    @Test func `has at most 255 characters`() {
        let longest = "com." + String(repeating: "a", count: 251)

        #expect(Self.refusal(longest) == nil)
        #expect(Self.refusal(longest + "a") == .tooLong(limit: 255))
    }
}

@Suite struct `A description` {
    private static func parse(_ text: String) -> Result<String, ValidationError> {
        Result { () throws(ValidationError) in try DisplayText.parse(text, limit: DisplayText.descriptionLimit) }
    }

    @Test func `loses the spaces around it`() {
        #expect(Self.parse("  Acme Web \u{3000}") == .success("Acme Web"))
        #expect(Self.parse("Акме 果园 🍏👩‍👩‍👧") == .success("Акме 果园 🍏👩‍👩‍👧"))
    }

    @Test(arguments: [
        ("Acme\nWeb", "Acme Web"), ("Ac\0me", "Ac me"), ("Acme \u{202E}beW", "Acme beW"), ("\u{2066}Acme", "Acme"),
        ("Acme\u{2028}", "Acme"), ("\tAcme", "Acme"), ("Acme\u{FEFF}", "Acme"),
    ]) func `is one line that shows what was registered`(text: String, shown: String) {
        #expect(Self.parse(text) == .success(shown))
    }

    @Test(arguments: ["", " \u{3000}", "\u{200B}", "\n"]) func `is not empty`(text: String) {
        #expect(Self.parse(text) == .failure(.missing))
    }

    @Test func `has at most 255 characters`() {
        #expect(Self.parse(String(repeating: "é", count: 255)) == .success(String(repeating: "é", count: 255)))
        #expect(Self.parse(String(repeating: "é", count: 256)) == .failure(.tooLong(limit: 255)))
    }
}

@Suite struct `An email source` {
    private static func parse(_ text: String) -> Result<EmailSource, ValidationError> {
        Result { () throws(ValidationError) in try EmailSource(parsing: text) }
    }

    @Test func `is a domain or an address, in lower case`() throws {
        #expect(try Self.parse("Acme.Example").get() == EmailSource(.domain, parsing: "acme.example"))
        #expect(try Self.parse("No.Reply+1@Acme.Example").get().text == "no.reply+1@acme.example")
        #expect(try Self.parse("a@acme.example").get().kind == .address)
    }

    @Test(arguments: [
        ("", ValidationError.missing), ("acme", .hostName("acme")), ("@acme.example", .emailAddress),
        ("a@b@acme.example", .emailAddress), ("a..b@acme.example", .emailAddress), ("a b@acme.example", .emailAddress),
        ("a@acme", .emailAddress), ("a@127.0.0.1", .emailAddress), ("a@localhost", .emailAddress),
        ("\"a\"@acme.example", .emailAddress), ("a\r\nBcc: b@acme.example", .emailAddress),
        ("localhost", .loopbackOutsideSandbox(host: "localhost")),
    ]) func `that breaks a rule is refused by it`(text: String, refusal: ValidationError) {
        #expect(Self.parse(text) == .failure(refusal))
    }
}

@Suite struct `A public key` {
    private static func refusal(_ pem: String) -> ValidationError? {
        do throws(ValidationError) {
            _ = try Key.publicKey(parsing: pem)
            return nil
        } catch { return error }
    }

    @Test func `has one spelling however it is pasted`() throws {
        let pem = P256SigningKey.generate().publicKey.pem
        let pasted = pem.split(separator: "\n").joined(separator: "\r\n  ")

        let key = try Key.Registration(id: "ACMEKEY001", name: "CI", appID: "com.acme.app", publicKeyPEM: pasted)

        #expect(key.publicKeyPEM == pem)
        #expect(key.fingerprint.utf8.count == 64)
    }

    @Test func `that is a private key is refused as one`() {
        #expect(Self.refusal(P256SigningKey.generate().pem) == .privateKeyGiven)
    }

    @Test(arguments: ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"])
    func `that is none is refused`(pem: String) {
        #expect(Self.refusal(pem) == (pem.isEmpty ? .missing : .notPublicKey))
    }
}

@Suite struct `An input` {
    @Test func `is told everything that is wrong with it`() throws {
        let typed: Typed = [
            "description": "", "domains": ["acme.example", "https://acme.example", "ACME.example"],
            "returnURLs": ["http://acme.example/", "https://acme.example/a", "https://acme.example/a", "x"],
            "issuer": "other", "booleans": "maybe",
        ]

        let problems = #expect(throws: FieldErrors.self) {
            try ServiceID.Draft("acme", of: .named("com.acme.app"), typed, policy: .hostNames)
        }

        #expect(
            problems?.all.map(\.path.description) == [
                "identifier", "description", "domains[1]", "domains[2]", "returnURLs[0]", "returnURLs[2]",
                "returnURLs[3]", "issuer", "booleans",
            ])
    }

    @Test func `with eleven return URLs is refused before any of them is saved`() throws {
        let urls = (1...11).map { "https://acme.example/\($0)" }

        let problems = #expect(throws: FieldErrors.self) { try ServiceID.Draft.sample(returnURLs: urls) }

        #expect(problems == FieldErrors("returnURLs", ValidationError.tooMany(10).message))
    }
}
