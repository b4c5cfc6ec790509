import Bytes
import Crypto
import Domain
import Testing

@testable import Console

/// Security case V39 in the console: numbers at the ends of what a number can hold.
@Suite struct ExtremeNumberTests {
    private static let numbers = [
        "-9223372036854775808", "9223372036854775807", "99999999999999999999", "-1", "1e308",
        "253402300800000000",
    ]

    @Test(arguments: ["iat", "exp", "nbf", "auth_time"])
    func `S1, V39: the page of a trial shows a token with any number as its times`(claim: String) throws {
        let numbers = [Int64.min, -1, 0, 253_402_300_799, 253_402_300_800, .max]
        for number in numbers {
            let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"A"}"#.utf8))
            let token = try UnverifiedJWT("\(head).\(Base64URL.encode(JSON.encode([claim: number]))).AA")
            #expect(DecodedToken.tables(token, notes: [:]).count == 2)
        }
    }

    @Test(arguments: ["users", "audit", "flows", "notices", "apple-tokens", "app-ids", "service-ids", "keys"])
    func `V39: a list answers whatever number stands in its address`(list: String) async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Ada", [World.acme: .owner])
            for number in Self.numbers {
                for value in [number, "\(number).x", "2026-11-\(number)"] {
                    for name in ["after", "from", "to", "q"] {
                        let path = "/console/ACMETEAM01/\(list)?\(name)=\(PercentCoding.encode(value))"
                        let answer = try await owner.get(path)
                        #expect(answer.status < 500, "\(path)")
                    }
                }
                let place = try await owner.get("/console/ACMETEAM01/\(list)/\(number)-x")
                #expect(place.status == 404, "\(list) \(number)")
            }
        }
    }

    @Test func `V39: a form whose numbers are extreme is refused beside its fields`() async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("Ada", [World.acme: .owner])
            for (number, part) in Self.numbers.flatMap({ number in ["sign-in", "rules"].map { (number, $0) } }
            ) {
                let answer = try await owner.post(
                    "/console/ACMETEAM01/settings/\(part)",
                    [("version", number), ("idTokenSeconds", number), ("auditRetentionDays", number)]
                )
                #expect((400..<500).contains(answer.status), "\(number)")
            }
        }
    }
}
