import Core
import Crypto
import OAuth
import Platform
import Registry
import TestSupport
import Testing

@testable import TestTeams

/// Who signed a client secret, and how: security cases V13, V14 and V21.
@Suite struct ClientSecretSignatureTests {
    @Test func `V13, V14: only ES256 is spoken, whatever the header says of the key`() async throws {
        try await withEngine { engine in
            var secret = ClientSecret(
                of: .web, in: .acme, key: .acme, audience: "https://appleid.apple.com", at: engine.clock.now)
            for algorithm in ["none", "None", "NONE", "HS256", "RS256", "ES384", "es256", "", "ES256K"] {
                secret.header["alg"] = .string(algorithm)
                for text in [
                    try secret.signed(with: TestKeys.acme), try secret.signed(with: TestKeys.signing),
                    secret.signed(by: []), secret.signed(by: mac(secret)), secret.signedPart,
                ] {
                    let error = try await engine.authenticate(text)
                    #expect(error?.code == .invalidClient, "\(algorithm)")
                }
            }
            secret.header["alg"] = nil
            #expect(try await engine.authenticate(try secret.signed(with: TestKeys.acme)) != nil)
        }
    }

    /// What a verifier that lets the header choose would compute: HS256 with the public key as its secret.
    private func mac(_ secret: ClientSecret) -> [UInt8] {
        let pem = Array(TestKeys.acme.publicKey.pem.utf8)
        return HMACSHA256(key: pem).code(for: Array(secret.signedPart.utf8))
    }

    @Test func `P3: the signature is raw, whole and over this very text`() async throws {
        try await withEngine { engine in
            let secret = ClientSecret(
                of: .web, in: .acme, key: .acme, audience: "https://appleid.apple.com", at: engine.clock.now)
            let raw = try TestKeys.acme.sign(Array(secret.signedPart.utf8).span)
            #expect(try await engine.authenticate(secret.signed(by: raw)) == nil)
            let zero = [UInt8](repeating: 0, count: 32)
            let wrong: [[UInt8]] = [
                raw.ecdsaInDER, Array(raw.dropLast()), raw + [0], Array(raw[32...] + raw[..<32]), zero + zero,
                Array(raw[..<32]) + zero, try TestKeys.acmeOther.sign(Array(secret.signedPart.utf8).span),
            ]
            for signature in wrong {
                let error = try await engine.authenticate(secret.signed(by: signature))
                #expect(error?.code == .invalidClient)
            }
            var changed = secret
            changed.claims["exp"] = .integer(Int64(engine.clock.now.seconds) + 301)
            #expect(try await engine.authenticate(changed.signed(by: raw)) != nil)
        }
    }

    @Test func `P3: a header with any member but alg, kid and typ is refused, as Apple does`() async throws {
        try await withEngine { engine in
            let members: [(String, JSONValue)] = [
                ("cty", "JWT"), ("jku", "https://evil.example/keys"), ("x5c", []), ("crit", ["exp"]), ("b64", false),
                ("jwk", [:]), ("x", .null), ("typ", "jwt"), ("typ", "at+jwt"), ("typ", .null), ("typ", .integer(1)),
            ]
            for (name, value) in members { try await engine.refuses("\(name): \(value)") { $0.header[name] = value } }
        }
    }

    @Test func `V14: the key must be one of the team's, alive, and of the client's group`() async throws {
        try await withEngine { engine in
            try await engine.refuses(of: .web, key: .acmeRevoked)
            try await engine.refuses(of: .web, key: .acmeOther)
            try await engine.refuses(of: .otherWeb, key: .acme)
            try await engine.refuses(of: .web, key: .rival)
            let kids: [JSONValue?] = [
                nil, .null, "", "acmekey001", "NOSUCHKEY1", "ACMEKEY001 ", .integer(1), "../../etc/passwd",
            ]
            for kid in kids { try await engine.refuses("\(String(describing: kid))") { $0.header["kid"] = kid } }
        }
    }

    @Test func `V33: what is no JWT at all is refused, whatever its size and shape`() async throws {
        try await withEngine { engine in
            let good = try engine.teams.secret()
            let deep = Base64URL.encode(Array(repeating: UInt8(ascii: "["), count: 2500))
            for text in [
                nil, "", ".", "..", "...", "x", good + ".", "." + good, good + "=", good.uppercased(),
                "\(deep).\(deep).AA", String(good.dropLast(2)), good.replacing(".", with: ".."), " " + good,
            ] as [String?] {
                let error = try await engine.authenticate(text)
                #expect(error?.code == .invalidClient, "\(text ?? "absent")")
            }
        }
    }

    @Test func `a client is refused whose sign-in is switched off, or that is not there`() async throws {
        try await withEngine { engine in
            try await engine.refuses(of: .offWeb)
            try await engine.refuses(of: .named("com.acme.nobody"))
            try await engine.refuses(of: .named("com.acme.WEB"))
        }
    }
}
