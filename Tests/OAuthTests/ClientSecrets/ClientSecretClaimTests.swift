import Core
import Crypto
import Platform
import Registry
import Testing

@testable import TestTeams

/// What a client secret claims: security case V12, point P3 of the conformance list.
@Suite struct ClientSecretClaimTests {
    @Test func `a secret as Apple's documents ask for it is accepted, with typ JWT or without typ`() async throws {
        try await withEngine { engine in
            try await engine.accepts()
            try await engine.accepts { $0.header["typ"] = "JWT" }
            try await engine.accepts(of: .otherWeb)
            try await engine.accepts(of: .sisterWeb)
            try await engine.accepts(of: .app)
        }
    }

    @Test func `V12: a claim that is absent, null or of another type makes the secret void`() async throws {
        try await withEngine { engine in
            let values: [JSONValue?] = [
                nil, .null, .boolean(true), .array([]), .object([:]), "", "0", .integer(0), .integer(-1), .number(1.5),
                .array([.null]), .array([.integer(1)]),
            ]
            for claim in ["iss", "sub", "aud", "iat", "exp"] {
                for value in values where claim != "iat" || value?.floor == nil {
                    try await engine.refuses("\(claim) = \(String(describing: value))") { $0.claims[claim] = value }
                }
            }
        }
    }

    @Test func `V12: a time in quotes or beyond 64 bits is none, and one with a fraction is one`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            for (claim, good) in [("iat", now), ("exp", now + 300), ("nbf", now)] {
                for value: JSONValue in [.string("\(good)"), .string("\(good).5"), .number(1e19), .number(-1e19)] {
                    try await engine.refuses("\(claim) = \(value)") { $0.claims[claim] = value }
                }
                for value in [Double(good), Double(good) + 0.123456, Double(good) + 0.5] {
                    try await engine.accepts("\(claim) = \(value)") { $0.claims[claim] = .number(value) }
                }
            }
            // A fraction is no leeway.
            for seconds in [0.0, 0.999] {
                try await engine.refuses { $0.claims["exp"] = .number(Double(now) + seconds) }
            }
            try await engine.accepts { $0.claims["iat"] = .number(Double(now) + 300.9) }
            try await engine.refuses { $0.claims["iat"] = .number(Double(now) + 301) }
        }
    }

    @Test func `P3: a secret as backends for Apple make it is accepted`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let base = engine.server.base(of: .acme)
            let usual: [Engine.SecretChange] = [
                { $0.claims["aud"] = "https://appleid.apple.com" },
                { $0.claims["aud"] = ["https://appleid.apple.com"] }, { $0.claims["aud"] = .string(base) },
                { $0.claims["aud"] = [.string(base)] }, { $0.claims["exp"] = .integer(now + 15_777_000) },
                { $0.claims["exp"] = .number(Double(now) + 86_400.25) }, { $0.header["typ"] = "JWT" },
                { $0.claims["jti"] = "5d0c1b9e" }, { $0.claims["name"] = ["first": [1, 2]] },
                { ($0.claims["nbf"], $0.claims["auth_time"]) = (.integer(now), "yesterday") },
            ]
            for (number, change) in usual.enumerated() { try await engine.accepts(of: .app, "\(number)", change) }
        }
    }

    @Test func `iss and sub are compared exactly`() async throws {
        try await withEngine { engine in
            for text in ["acmeteam01", "ACMETEAM01 ", "RIVALTEAM1", "ACMETEAM0", "com.acme.web"] {
                try await engine.refuses("\(text)") { $0.claims["iss"] = .string(text) }
            }
            for text in ["com.acme.Web", "com.acme.app", "com.acme.other.web", "ACMETEAM01.com.acme.web"] {
                try await engine.refuses("\(text)") { $0.claims["sub"] = .string(text) }
            }
        }
    }

    @Test func `P3: the audience is Apple or the team's base, as one text or in an array`() async throws {
        try await withEngine { engine in
            let base = "https://pippin.example/t/ACMETEAM01"
            let good: [JSONValue] = [
                "https://appleid.apple.com", .string(base), ["https://appleid.apple.com"], [.string(base)],
                ["https://elsewhere.example", .string(base)],
            ]
            for audience in good { try await engine.accepts("\(audience)") { $0.claims["aud"] = audience } }
            let bad: [JSONValue] = [
                "https://pippin.example/t/RIVALTEAM1", .string(base + "/"), "https://pippin.example", [],
                "https://account.apple.com", "https://appleid.apple.com/", "appleid.apple.com",
                ["https://elsewhere.example"], [.string(base), .null], [[.string(base)]], ["url": .string(base)],
            ]
            for audience in bad { try await engine.refuses("\(audience)") { $0.claims["aud"] = audience } }
        }
    }

    @Test func `P3: a secret lasts at most 15,777,000 seconds, and a clock may differ by five minutes`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            for (offset, isGood) in [
                (1, true), (0, false), (-1, false), (15_777_000, true), (15_777_300, true), (15_777_301, false),
                (.max - now, false), (.min + 1, false),
            ] as [(Int64, Bool)] {
                let error = try await engine.verdict { $0.claims["exp"] = .integer(now &+ offset) }
                #expect((error == nil) == isGood, "exp \(offset)")
            }
            for claim in ["iat", "nbf"] {
                for (offset, isGood) in [(0, true), (-40_000_000, true), (300, true), (301, false)] as [(Int64, Bool)] {
                    let error = try await engine.verdict { $0.claims[claim] = .integer(now + offset) }
                    #expect((error == nil) == isGood, "\(claim) \(offset)")
                }
            }
            try await engine.refuses { $0.claims["nbf"] = "soon" }
            try await engine.refuses { $0.claims["nbf"] = .null }
        }
    }
}
