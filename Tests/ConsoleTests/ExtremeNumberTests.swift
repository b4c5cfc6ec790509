import Core
import Crypto
import HTTP
import Platform
import Testing

@testable import Console

/// Security case V39 in the console: numbers at the ends of what a number can hold.
@Suite struct ExtremeNumberTests {
    private static let numbers = [
        "-9223372036854775808", "9223372036854775807", "99999999999999999999", "-1", "1e308", "253402300800000000",
    ]

    @Test(arguments: ["iat", "exp", "nbf", "auth_time"])
    func `S1, V39: the page of a test sign-in shows a token with any number as its times`(claim: String) throws {
        let numbers = [Int64.min, -1, 0, 253_402_300_799, 253_402_300_800, .max]
        for number in numbers {
            let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"A"}"#.utf8))
            let token = try UnverifiedJWT("\(head).\(Base64URL.encode(JSON.encode([claim: number]))).AA")
            #expect(DecodedToken.tables(token, notes: [:]).count == 2)
        }
    }

    @Test(.environment) func `V39: a form whose numbers are extreme is refused beside its fields`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let rules = SettingsRoutes.part.link(TeamID.acme, .rules)
        let usual = [("idTokenSeconds", "600"), ("auditRetentionDays", "400")]
        for number in Self.numbers {
            for field in usual.map(\.0) {
                let form = usual.map { ($0.0, $0.0 == field ? number : $0.1) }
                let answer = try await owner.post(rules, [("version", "1")] + form)
                #expect(answer.status == 422, "\(field) \(number)")
                #expect(answer.text.contains("id=\"field-\(field)-error\""), "\(field) \(number)")
            }
            let stale = try await owner.post(rules, [("version", number)] + usual)
            #expect((400..<500).contains(stale.status), "\(number)")
        }
        #expect(try await owner.post(rules, [("version", "1")] + usual).status == 303)
    }
}
