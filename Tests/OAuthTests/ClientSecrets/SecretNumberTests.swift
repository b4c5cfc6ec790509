import Core
import Crypto
import Platform
import TestNumbers
import Testing

@testable import OAuth
@testable import TestTeams

/// Security case V39: every number that a client secret holds, however it is written, signed by the team's own key.
@Suite struct SecretNumberTests {
    /// The time claims, and which moments each accepts, beside now.
    private static func accepts(_ claim: String, _ seconds: Int64, now: Int64) -> Bool {
        switch claim {
        case "iat": (0...now + 300).contains(seconds)
        case "exp": (now + 1...now + 15_777_000 + 300).contains(seconds)
        case "nbf": (0...now + 300).contains(seconds)
        // Nothing reads it in a client secret.
        default: true
        }
    }

    @Test func `S3, V39: a time in a client secret is the number as written, or the secret is refused`() async throws {
        try await each(["iat", "exp", "nbf"]) { claim, number, now in
            number.floor.map { Self.accepts(claim, $0, now: now) } ?? false
        }
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            for claim in ["iat", "exp", "nbf"] {
                for seconds: Int64 in [-301, -1, 0, 1, 299, 300, 301, 302, 15_777_000, 15_777_300, 15_777_301] {
                    let isGood = Self.accepts(claim, now + seconds, now: now)
                    try await expect(isGood, of: "\(claim) = now + \(seconds)", engine, claim, "\(now + seconds)")
                }
            }
        }
    }

    @Test func `V39: a number where a client secret has a text is refused`() async throws {
        try await each(["iss", "sub", "aud"]) { _, _, _ in false }
    }

    @Test func `V39: a claim that nothing reads may hold any number that JSON has`() async throws {
        try await each(["auth_time", "max_age", "jti", "nonce"]) { _, number, _ in
            (try? JSON.object(Array("{\"a\":\(number.text)}".utf8))) != nil
        }
    }

    @Test func `S1, V39: what an unsigned secret says of its times is told, whatever numbers they are`() {
        var secret = ClientSecret(of: .web, in: .acme, key: .acme, audience: "x", at: TestClock().now)
        for number in BoundaryNumber.json.compactMap(\.integer) {
            for claim in ["iat", "exp", "nbf"] { secret.claims[claim] = .integer(number) }
            let facts = TraceEvent.clientSecret(in: [FormCoding.Field("client_secret", secret.signed(by: [1]))])
            for claim in ["iat", "exp"] {
                let told = facts.first { $0.name == "client_secret.\(claim)" }?.value
                #expect(told?.split(separator: " ").first == "\(number)")
            }
        }
    }

    /// Tries every boundary number in each of the claims.
    private func each(_ claims: [String], isGood: @escaping @Sendable (String, BoundaryNumber, Int64) -> Bool)
        async throws
    {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            for claim in claims {
                for number in BoundaryNumber.json {
                    try await expect(isGood(claim, number, now), of: "\(claim) = \(number)", engine, claim, number.text)
                }
            }
        }
    }

    /// Signs a secret in which the claim is written exactly so.
    private func expect(_ isGood: Bool, of what: String, _ engine: Engine, _ claim: String, _ text: String) async throws
    {
        var secret = ClientSecret(
            of: .web, in: .acme, key: .acme, audience: engine.server.base(of: .acme), at: engine.clock.now)
        secret.claims[claim] = "@"
        let claims = String(decoding: JSON.encode(JSONValue.object(secret.claims)), as: UTF8.self).replacing(
            "\"@\"", with: text)
        let part = "\(secret.signedPart.prefix { $0 != "." }).\(Base64URL.encode(Array(claims.utf8)))"
        let signature = try TestKeys.acme.sign(Array(part.utf8).span)
        let error = try await engine.authenticate("\(part).\(Base64URL.encode(signature))")
        #expect(
            error == nil ? isGood : !isGood && error?.code == .invalidClient, "\(what): \(String(describing: error))")
    }
}
