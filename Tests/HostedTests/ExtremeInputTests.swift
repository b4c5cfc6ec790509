import Bytes
import Crypto
import Domain
import Testing

@testable import Hosted
@testable import TestTeams

/// Security cases V39 and V52 at the addresses themselves: numbers and texts that no well-behaved app sends.
@Suite(.site) struct ExtremeInputTests {
    private static let client = "com.acme.web"

    @Test func `S1, V39: an unsigned secret with any time is refused as invalid_client at every address`() throws {
        for path in ProtocolEndpointTests.forms {
            for claim in ["iat", "exp", "nbf", "auth_time"] {
                for number in [Int64.min, -1, 253_402_300_800, .max] {
                    var secret = ClientSecret(of: .web, in: .acme, key: .acme, audience: "x", at: site.teams.clock.now)
                    secret.claims[claim] = .integer(number)
                    let form = [
                        "client_id": Self.client, "client_secret": secret.signed(by: [1]),
                        "grant_type": "refresh_token", "token": "x",
                    ]
                    let answer = try site.post(path, form)
                    #expect(answer.status == 400, "\(path) \(claim) \(number)")
                    #expect(answer.json["error"] == "invalid_client")
                }
            }
        }
        #expect(try site.ask("GET", "/t/ACMETEAM01/auth/keys").status == 200)
    }

    @Test func `S31, V52: a form whose names are marks out of order is an invalid request at every address`() throws {
        let run = String(repeating: "\u{301}\u{323}", count: 1300)
        for path in ProtocolEndpointTests.forms {
            for body in ["client_id=x&\(run)=1&\(run)=2", "client_id=\(PercentCoding.encode(run))"] {
                let answer = try site.ask("POST", path, [TestSite.form], body: body)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request", "\(path)")
            }
        }
    }
}
