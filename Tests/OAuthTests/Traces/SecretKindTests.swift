import Core
import Crypto
import Platform
import TestSupport
import Testing

@testable import Accounts
@testable import Federation
@testable import OAuth
@testable import TestTeams

/// Security case V51, finding S16: every kind of secret there is, through the log and through the inspector.
@Suite struct SecretKindTests {
    /// Some of each kind; the compiler asks for those of a new one.
    private func examples(of kind: SecretKind, _ engine: Engine) async throws -> [String] {
        let random = engine.server.random
        switch kind {
        case .webToken:
            let secret = try engine.teams.secret()
            return [secret, try await engine.tokens().idToken]
        case .key:
            return [TestKeys.extra.pem, TestKeys.key(.acme).pem].flatMap { pem in
                [pem, pem.split(separator: "\n").dropFirst().dropLast().joined()]
            }
        case .opaqueToken:
            let first = RefreshToken.rotating(random: random)
            return [
                RefreshToken(random: random).text, first.text, first.rotated(random: random).text,
                AuthorizationCode(at: engine.clock.now, random: random).text,
            ]
        case .randomToken:
            let tokens = try await engine.tokens()
            let own = try await engine.clientToken()
            return [
                tokens.accessToken, own.accessToken, LinkToken(random: random).text,
                Base64URL.encode(SHA256.hash("a session")),
            ]
        case .shortRandomToken:
            // Drawn once: of a thousand, some three have neither a digit nor enough capitals to be told from a word.
            return [
                ReturnReceipt(random: RandomSource { Array(0..<UInt8($0)) }).text,
                Base64URL.encode(Array(SHA256.hash("a browser").prefix(16))),
                // Of a form, of a browser that an account knows, and of a sign-in under way.
                Base64URL.encode(Array(SHA256.hash("a form").prefix(18))),
                Base64URL.encode(Array(SHA256.hash("an account in a browser").prefix(18))),
                InteractionID(at: engine.clock.now, random: RandomSource { Array(0..<UInt8($0)) }).rawValue,
            ]
        case .hexadecimalKey: return [Hex.encode(SHA256.hash("a master key"))]
        case .oneTimeSecret: return [Base32.encode(Array(SHA256.hash("an app").prefix(20)))]
        case .passwordHash: return ["$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g"]
        case .receipt: return [ReceiptID(random: random).rawValue]
        }
    }

    @Test func `S16, V51: no secret of any kind is told by the log, whatever stands around it`() async throws {
        try await withEngine { engine in
            let lines = Notes()
            let log = lines.log(.debug)
            for kind in SecretKind.all where kind != .receipt {
                for secret in try await examples(of: kind, engine) {
                    for text in [secret, "client_id \(secret) is unknown", "\(secret)\u{301}", "x.\(secret)"] {
                        log(.info, "test", ("value", text))
                        let line = try #require(lines.all.last)
                        #expect(line.utf8.count < 200 && line.contains("(withheld)"), "\(kind): \(line)")
                    }
                }
            }
        }
    }

    @Test func `S16, V51: no kind of secret is told by the inspector, in whatever parameter it came`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            var secrets: [String] = []
            for kind in SecretKind.all {
                for secret in try await examples(of: kind, engine) {
                    secrets.append(secret)
                    let fields = ["client_id", "redirect_uri", "scope", "prompt", "locale", "state", "code", "nobody"]
                        .compactMap { FieldName($0) }.map { FormCoding.Field($0, secret) }
                    let refusal = OAuthError(.invalidClient, cause: .client(secret), because: "it is \(secret)")
                    engine.traces.refuse(refusal, .tokenRefused, of: fields, to: team, from: .test)
                    for fact in TraceEvent.facts(of: fields) + [TraceAttribute("x", "a \(secret) b")] {
                        #expect(!fact.value.contains(secret.prefix(24)), "\(kind) in \(fact.name)")
                    }
                }
            }
            await engine.traces.finish()
            for table in ["traces", "trace_events"] { #expect(try !engine.admin("SELECT FROM \(table)").isEmpty) }
            for secret in secrets {
                let kept = try engine.admin(
                    """
                    SELECT f::text FROM traces AS f WHERE position($1 in f::text) > 0
                    UNION ALL
                    SELECT s::text FROM trace_events AS s WHERE position($1 in s::text) > 0
                    """, String(secret.prefix(24)))
                #expect(kept.isEmpty, "\(secret.prefix(24)): \(kept)")
            }
        }
    }

    @Test func `V43: no more of a text is taken for the name of an app than such a name may be long`() {
        let words = String(repeating: "TimetablesOfAllTrams22.", count: 10)
        #expect(!SecretKind.isFound(in: "com.acme.\(words)app"))
        #expect(SecretKind.isFound(in: "com.acme.\(words)\(words)app"))
    }

    @Test func `V43: a step keeps few octets of what was sent, however it was sent`() {
        let long = String(repeating: "😀<", count: 2000)
        let names: [FieldName] = [
            "redirect_uri", "scope", "prompt", "locale", "ui_locales", "response_type", "grant_type",
        ]
        let fields = (0..<24).map { FormCoding.Field(names[$0 / 4], "https://a.example/\(long)") }
        let facts = TraceEvent.facts(of: fields)
        #expect(facts.count == 24)
        #expect(facts.reduce(0) { $0 + $1.value.utf8.count } < 5000)
        #expect(facts.allSatisfy { !$0.value.isEmpty })
    }

    @Test(arguments: [
        "com.acme.web", "https://app.acme.example/auth/callback?state=…", "2026-11-22T16:00:00Z",
        "the signature does not verify with key ACME000001; it must be the raw r||s, 64 octets",
        "000001.3f2a9c0de1b24c5f8a7b6c5d4e3f2a1b.0815", "no such refresh_token", "RIVALTEAM1", "invalid_client",
        "com.acme.TimetablesOfAllTrams22", "client_id com.acme.MyTimetableForTrams2022 is unknown",
        "org.acme.TimetablesOfTrams2App.widget", "https://app.acme.example/com.acme.MyBestApplication4iPads",
        "PostgresFailure(code: 57014, message: canceling statement due to statement timeout)",
    ]) func `what is no secret is told`(text: String) {
        #expect(!SecretKind.isFound(in: text))
        #expect(TraceAttribute("x", text).value == text)
    }
}
