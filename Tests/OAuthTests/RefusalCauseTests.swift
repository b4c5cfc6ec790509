import Core
import Crypto
import Platform
import Registry
import Testing

@testable import OAuth
@testable import TestTeams

/// `invalid_client` with no clue is what teams complain of most: inside, each has its cause.
@Suite struct `The cause of a refusal` {
    private typealias Case = (text: String?, cause: RefusalCause)
    private typealias Signed = (signature: [UInt8], cause: RefusalCause)

    @Test func `tells what is wrong with a client secret`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let wrong: [(RefusalCause, Engine.SecretChange)] = [
                (.keyUnknown, { $0.header["kid"] = "NOSUCHKEY1" }), (.keyIDMissing, { $0.header["kid"] = nil }),
                (.keyOfOtherApp, { $0.header["kid"] = "ACMEKEY002" }),
                (.secretAlgorithm, { $0.header["alg"] = "HS256" }),
                (.secretHeader, { $0.header["x5u"] = "https://rival.example" }),
                (.issuerWrong, { $0.claims["iss"] = "com.acme.web" }),
                (.subjectWrong, { $0.claims["sub"] = "ACMETEAM01" }),
                (.audienceWrong, { $0.claims["aud"] = "https://acme.example" }),
                (.issuedInFuture, { $0.claims["iat"] = .integer(now + 3600) }),
                (.issuedInFuture, { $0.claims["iat"] = .number(Double(now) + 3600.5) }),
                (.secretExpired, { $0.claims["exp"] = .integer(now - 1) }),
                (.secretTooLong, { $0.claims["exp"] = .integer(now + 20_000_000) }),
                (.secretNotYetValid, { $0.claims["nbf"] = .integer(now + 3600) }),
            ]
            for (cause, change) in wrong {
                let error = try await engine.verdict(change)
                #expect(error?.cause == cause, "\(cause)")
            }
            for (secret, cause) in [(nil, .secretMissing), ("no JWT", .secretMalformed)] as [Case] {
                let error = try await engine.authenticate(secret)
                #expect(error?.cause == cause)
            }
        }
    }

    @Test func `is never a clock for a time that is missing or no number, and names it`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let odd: [(JSONValue?, String)] = [
                (nil, "is missing"), (.string("\(now)"), "is not a number"), (.null, "is not a number"),
                (.integer(now * 1000), "is not a date of the years 1970 to 9999, in seconds"),
                (.number(-0.5), "is not a date of the years 1970 to 9999, in seconds"),
            ]
            for claim in ["iat", "exp", "nbf"] {
                for (value, reason) in odd where claim != "nbf" || value != nil {
                    let error = try await engine.verdict { $0.claims[claim] = value }
                    #expect(error?.cause == .secretTime && error?.reason == "\(claim) \(reason)")
                }
            }
        }
    }

    @Test func `names the scope that Apple does not have, but no secret`() async throws {
        try await withEngine { engine in
            let secret = try engine.teams.secret()
            for (scope, name) in [
                ("name,email", "name,email"), ("openid profile email", "profile"), (secret, Redaction.withheld),
            ] {
                do {
                    _ = try await engine.authorize(.web, ["scope": scope, "response_mode": "form_post"])
                    Issue.record("no refusal of \(scope)")
                } catch let refusal as AuthorizationRefusal {
                    #expect(refusal.cause == .scopeUnknown)
                    #expect(refusal.reason == "\(name) is none of the scopes name, email and openid")
                }
            }
        }
    }

    @Test func `knows the signature that a library wrote as DER`() async throws {
        try await withEngine { engine in
            let secret = ClientSecret(
                of: .web, in: .acme, key: .acme, audience: "https://appleid.apple.com", at: engine.clock.now)
            let der: [UInt8] = [0x30, 68, 2, 32] + [UInt8](repeating: 1, count: 32) + [2, 32]
            let sequence = der + [UInt8](repeating: 1, count: 32)
            let raw = [UInt8](repeating: 1, count: 64)

            for (signature, cause) in [(sequence, .signatureIsDER), (raw, .signatureInvalid)] as [Signed] {
                let error = try await engine.authenticate(secret.signed(by: signature))
                #expect(error?.cause == cause)
            }
        }
    }

    @Test func `tells a name nobody has from a text that is no name`() async throws {
        try await withEngine { engine in
            let causes: [Case] = [
                ("com.acme.unknown", .clientUnknown), ("not an identifier", .clientMalformed), (nil, .clientMissing),
                ("com.acme.off.web", .clientDisabled),
            ]
            for (client, cause) in causes {
                do {
                    _ = try await engine.authorize(.web, ["client_id": client])
                    Issue.record("\(cause): no refusal")
                } catch let refusal as AuthorizationRefusal { #expect(refusal.cause == cause) }
            }
        }
    }
}
