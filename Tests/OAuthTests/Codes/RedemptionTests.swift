import Core
import Crypto
import Platform
import TestSupport
import Testing

@testable import Directory
@testable import OAuth
@testable import TestTeams

/// Security cases V6 to V9, points P2 and P16 of the conformance list.
@Suite struct RedemptionTests {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let pkce: Changes = ["code_challenge": AuthorizationRuleTests.challenge, "code_challenge_method": "S256"]

    /// What a code was issued with and how it is presented.
    struct Case: Sendable {
        enum Proof: CaseIterable, Sendable {
            case none, verifierUnasked, right, wrong, plain, missing, malformed

            var hasChallenge: Bool { self != .none && self != .verifierUnasked }
            var isGood: Bool { [.none, .verifierUnasked, .right].contains(self) }
            var verifier: String? {
                switch self {
                case .none, .missing: nil
                case .verifierUnasked, .right: RedemptionTests.verifier
                case .wrong: String(RedemptionTests.verifier.reversed())
                case .plain: AuthorizationRuleTests.challenge
                case .malformed: AuthorizationRuleTests.challenge + "!"
                }
            }
        }

        var client = ClientID.web
        var team = TeamID.acme
        var isExpired = false
        var redirectURI: String? = TestTeams.callback
        var proof = Proof.none

        var isOwn: Bool { client == .web && team == .acme }
        /// An authenticated client may leave the return URL out.
        var isGood: Bool { isOwn && !isExpired && [TestTeams.callback, nil].contains(redirectURI) && proof.isGood }

        /// What the first thing that is wrong is called, in Apple's words; nil when nothing is.
        var description: String? {
            let dead = "The code has expired or has been revoked."
            if team != .acme { return dead }
            if client != .web { return "client_id mismatch. The code was not issued to \(client)." }
            if isExpired { return dead }
            if let redirectURI, redirectURI != TestTeams.callback {
                return "redirect_uri mismatch. The code was not issued to \(redirectURI)."
            }
            return proof.isGood ? nil : dead
        }

        static var all: [Case] {
            var cases: [Case] = []
            for (client, team) in [
                (ClientID.web, TeamID.acme), (.sisterWeb, .acme), (.otherWeb, .acme), (.web, .rival),
            ] {
                for isExpired in [false, true] {
                    for uri in [TestTeams.callback, TestTeams.queryCallback, TestTeams.callback + "/", nil] {
                        cases += Proof.allCases.map { proof in
                            Case(client: client, team: team, isExpired: isExpired, redirectURI: uri, proof: proof)
                        }
                    }
                }
            }
            return cases
        }
    }

    /// Each code comes in all wrong ways first: had any of them spent it, the right one would be refused.
    @Test func `P2, P16, V6, V7, V9: a code is redeemed if all is right, and refusals do not spend it`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            #expect(Case.all.count == 224)
            for right in Case.all where right.isGood {
                engine.clock.set(start)
                let code = try await engine.code(right.proof.hasChallenge ? Self.pkce : [:])
                for wrong in Case.all where !wrong.isGood && wrong.proof.hasChallenge == right.proof.hasChallenge {
                    let error = try await present(code, wrong, to: engine, issued: start)
                    #expect(error?.code == .invalidGrant && error?.description == wrong.description, "\(wrong)")
                }
                #expect(try await present(code, right, to: engine, issued: start) == nil, "\(right)")
            }
        }
    }

    /// The sixth condition: whatever comes with a used code, it is refused; and whoever may have it, and nobody else,
    /// ends by coming again what the first redemption began.
    @Test func `V6, V7: a used code is refused whatever comes with it, and revokes for its client only`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            for hasChallenge in [false, true] {
                func use() async throws -> (code: String, token: String) {
                    engine.clock.set(start)
                    let code = try await engine.code(hasChallenge ? Self.pkce : [:])
                    let verifier: Changes = ["code_verifier": hasChallenge ? Self.verifier : nil]
                    return (code, try await engine.redeem(code, .web, verifier).refreshToken)
                }
                let cases = Case.all.filter { $0.proof.hasChallenge == hasChallenge }
                let kept = try await use()
                for other in cases where !other.isOwn {
                    let error = try await present(kept.code, other, to: engine, issued: start)
                    #expect(error?.code == .invalidGrant && error?.description == other.description, "\(other)")
                }
                #expect(try await engine.isAlive(kept.token))
                for own in cases where own.isOwn {
                    let used = try await use()
                    let error = try await present(used.code, own, to: engine, issued: start)
                    #expect(error?.description == "The code has already been used.", "\(own)")
                    #expect(try await !engine.isAlive(used.token), "\(own)")
                }
            }
        }
    }

    private func present(_ code: String, _ example: Case, to engine: Engine, issued start: Timestamp) async throws
        -> OAuthError?
    {
        engine.clock.set(example.isExpired ? start + .seconds(300) : start)
        let changes: Changes = ["redirect_uri": example.redirectURI, "code_verifier": example.proof.verifier]
        return try await engine.refusal(redeeming: code, example.client, in: example.team, changes)
    }

    @Test func `a code lives five minutes to the microsecond`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            let codes = [try await engine.code(), try await engine.code()]
            engine.clock.set(start + .seconds(300) - .microseconds(1))
            #expect(try await engine.refusal(redeeming: codes[0]) == nil)
            engine.clock.set(start + .seconds(300))
            let error = try await engine.refusal(redeeming: codes[1])
            #expect(error?.description == "The code has expired or has been revoked.")
            #expect(try await engine.refusal(redeeming: "c0")?.description == error?.description)
        }
    }

    @Test func `V43: a second redemption revokes what the first issued, and further ones tell nothing`() async throws {
        try await withEngine { engine in
            let code = try await engine.code(Engine.fullRequest)
            let first = try await engine.redeem(code)
            let bystander = try await engine.tokens()
            #expect(try await engine.isAlive(first.refreshToken))
            let error = try await engine.refusal(redeeming: code)
            #expect(error?.code == .invalidGrant)
            #expect(try await !engine.isAlive(first.refreshToken))
            #expect(try await engine.isAlive(bystander.refreshToken))
            for _ in 0..<3 { #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant) }
            #expect(try engine.actions().count { $0 == "code.replayed" } == 1)
        }
    }

    @Test func `V8: of fifty redemptions at once exactly one succeeds`() async throws {
        try await withEngine { engine in
            let code = try await engine.code(Engine.fullRequest)
            let winners = try await race(50) { _ -> TokenAnswer? in
                do { return try await engine.redeem(code) } catch let error as OAuthError {
                    #expect(error.description == "The code has already been used.")
                    return nil
                }
            }.compactMap { $0 }
            #expect(winners.count == 1)
            // The losers came second, and coming second revokes.
            #expect(try await !engine.isAlive(try #require(winners.first).refreshToken))
            let rows = try engine.admin("SELECT count(*), count(revoked_at) FROM refresh_tokens")
            #expect(rows == [["1", "1"]])
        }
    }

    @Test func `P2: what is needed is named when it is missing, and the code stays good`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            func error(_ changes: Changes) async throws -> OAuthError.Code? {
                try await engine.refusal(redeeming: code, .web, changes)?.code
            }
            #expect(try await error(["grant_type": nil]) == .invalidRequest)
            #expect(try await error(["code": nil]) == .invalidRequest)
            #expect(try await error(["code": ""]) == .invalidRequest)
            #expect(try await error(["grant_type": "password"]) == .unsupportedGrantType)
            #expect(try await error(["grant_type": "AUTHORIZATION_CODE"]) == .unsupportedGrantType)
            #expect(try await error(["grant_type": "client_credentials"]) == .invalidScope)
            #expect(try await error(["grant_type": "refresh_token"]) == .invalidRequest)
            #expect(try await error(["client_id": nil]) == .invalidClient)
            #expect(try await error(["client_secret": nil]) == .invalidClient)
            #expect(try await error(["client_id": "com.acme.sister.web"]) == .invalidClient)
            #expect(try await error([:]) == nil)
        }
    }

    @Test func `a code is made of the randomness it is given, in the shape of Apple's`() throws {
        let random = RandomSource { count in (0..<count).map { UInt8($0) } }
        let codes = (0..<5).map { quarter in
            AuthorizationCode(at: Timestamp(seconds: 900 * quarter), random: random).text
        }
        let head = "c000102030405060708090a0b0c0d0e0f.0."
        let tail = ".AAECAwQFBgcICQoLDA0ODw"
        let expected = ["mrsq", "mrsw", "mrsx", "mrsy", "mrsq"].map { head + $0 + tail }
        #expect(codes == expected)
    }

    @Test func `a code is found in the quarter of an hour after the one it was issued in`() async throws {
        try await withEngine { engine in
            engine.clock.set(Timestamp(seconds: 1_800_000_000 + 899))
            let code = try await engine.code()
            engine.clock.advance(by: .seconds(120))
            #expect(try await engine.refusal(redeeming: code) == nil)
        }
    }

    @Test func `a native app's code, which has no return URL, is refused by what is wrong`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            try engine.admin("UPDATE authorization_codes SET redirect_uri = NULL")
            try engine.admin("UPDATE users SET suspended_at = now()")
            let suspended = try await engine.refusal(redeeming: code, .web, ["redirect_uri": nil])
            #expect(suspended?.code == .invalidGrant && suspended?.cause == .personSuspended)
            let elsewhere = try await engine.refusal(redeeming: code)
            #expect(elsewhere?.code == .invalidGrant && elsewhere?.cause == .codeOfOtherReturnURL)
        }
    }

    @Test func `the first redemption of a client is an event, the second is none`() async throws {
        try await withEngine { engine in
            for _ in 0..<2 { _ = try await engine.tokens() }
            let count = try engine.actions().count { $0 == "client.first_redemption" }
            #expect(count == 1)
        }
    }
}
