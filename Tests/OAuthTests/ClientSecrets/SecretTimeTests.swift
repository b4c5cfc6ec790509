import Bytes
import Crypto
import Domain
import Testing

@testable import OAuth
@testable import TestTeams

/// Security case V39: times of a client secret at the ends of what a number can hold.
@Suite struct SecretTimeTests {
    static let extremes: [Int64] = [
        .min, .min + 1, -253_402_300_800, -1, 253_402_300_800, 9_223_372_036_855, .max - 300, .max - 1, .max,
    ]

    @Test func `S3, V39: a signed secret whose time is none is refused, and nothing traps`() async throws {
        try await withEngine { engine in
            for claim in ["iat", "exp", "nbf"] {
                for number in Self.extremes {
                    try await engine.refuses("\(claim) = \(number)") { $0.claims[claim] = .integer(number) }
                }
                for number in [-Double.greatestFiniteMagnitude, -0.5, 1e19, .greatestFiniteMagnitude] {
                    try await engine.refuses("\(claim) = \(number)") { $0.claims[claim] = .number(number) }
                }
            }
            try await engine.accepts { $0.claims["iat"] = .integer(0) }
        }
    }

    @Test(arguments: ["iat", "exp", "nbf"])
    func `S1, V39: what an unsigned secret says of its times is told, whatever number it is`(claim: String) {
        let now = TestClock().now
        var secret = ClientSecret(of: .web, in: .acme, key: .acme, audience: "x", at: now)
        for number in Self.extremes {
            secret.claims[claim] = .integer(number)
            let facts = TraceEvent.clientSecret(in: [FormCoding.Field("client_secret", secret.signed(by: [1]))])
            guard claim != "nbf" else { continue }
            #expect(facts.first { $0.name == "client_secret.\(claim)" }?.value == "\(number)")
        }
    }
}
