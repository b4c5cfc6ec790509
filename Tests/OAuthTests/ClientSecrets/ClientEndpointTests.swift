import Core
import Crypto
import Platform
import Synchronization
import Testing

@testable import OAuth
@testable import TestTeams

/// An endpoint that counts the clients it is called with.
private final class CountingEndpoint: ClientEndpoint {
    private let proof: ClientProof
    private let count = Mutex(0)

    init(_ proof: ClientProof) { self.proof = proof }

    var calls: Int { count.withLock { $0 } }

    func proof(for parameters: ProtocolParameters) -> ClientProof { proof }

    func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        count.withLock { $0 += 1 }
        return []
    }
}

/// What an endpoint declares of its client's proof is all that its client may prove itself by.
@Suite struct ClientEndpointTests {
    private static let rotating = RefreshToken.rotating(random: .system).text
    private static let lasting = RefreshToken(random: .system).text

    /// Why a client is refused, or nil where the endpoint is called.
    private func refusal(at proof: ClientProof, _ parameters: Changes, _ engine: Engine) async throws -> RefusalCause? {
        let endpoint = CountingEndpoint(proof)
        let team = try await engine.snapshot()
        do {
            _ = try await engine.respond(at: endpoint, to: try ProtocolParameters([:], parameters), of: team)
            #expect(endpoint.calls == 1)
            return nil
        } catch let error as OAuthError {
            #expect(endpoint.calls == 0)
            return error.cause
        }
    }

    @Test func `a client is proved by what its endpoint declares, and refused for its own cause`() async throws {
        try await withEngine { engine in
            let secret = try engine.teams.secret()
            let token = ClientProof.secretOrRotatingToken(in: "token")
            let cases: [(proof: ClientProof, parameters: Changes, cause: RefusalCause?)] = [
                // Only a secret, where nothing else is declared.
                (.secret, ["client_id": "com.acme.web", "client_secret": secret], nil),
                (.secret, ["client_id": "com.acme.web"], .secretMissing),
                (.secret, ["client_secret": secret], .clientMissing),
                (.secret, ["client_id": "com.acme.web", "token": Self.rotating], .secretMissing),
                (.secret, ["client_id": "com.acme.app", "code": "c"], .secretMissing),
                (.secret, ["client_id": "com.acme.off.web", "client_secret": secret], .clientDisabled),
                (.secret, ["client_id": "com.rival.app", "client_secret": secret], .clientUnknown),
                // A rotating token, in its parameter and without a secret.
                (token, ["client_id": "com.acme.app", "token": Self.rotating], nil),
                (token, ["client_id": "com.acme.app", "token": Self.rotating, "client_secret": "x"], .secretMalformed),
                (token, ["client_id": "com.acme.app", "token": Self.lasting], .secretMissing),
                (token, ["client_id": "com.acme.app", "refresh_token": Self.rotating], .secretMissing),
                (token, ["client_id": "com.acme.off", "token": Self.rotating], .clientDisabled),
                (token, ["client_id": "com.rival.app", "token": Self.rotating], .clientUnknown),
                (token, ["token": Self.rotating], .clientMissing),
                // A provider's code, of a client that exists and is switched on.
                (.secretOrUpstreamCode, ["client_id": "com.acme.app"], nil),
                (.secretOrUpstreamCode, ["client_id": "com.acme.app", "client_secret": "x"], .secretMalformed),
                (.secretOrUpstreamCode, ["client_id": "com.acme.off"], .clientDisabled),
                (.secretOrUpstreamCode, ["client_id": "com.rival.app"], .clientUnknown),
                (.secretOrUpstreamCode, [:], .parameterMissing),
            ]
            for (proof, parameters, cause) in cases {
                let found = try await refusal(at: proof, parameters, engine)
                #expect(found == cause, "\(proof) \(parameters)")
            }
        }
    }

    @Test func `a grant is not open to the proof that another declares`() async throws {
        try await withEngine { engine in
            for type in ["authorization_code", "client_credentials", "password", "refresh_token\u{0301}"] {
                let parameters: Changes = [
                    "client_id": "com.acme.app", "grant_type": type, "refresh_token": Self.rotating,
                    "token": Self.rotating, "code": "c", "scope": "user.migration",
                ]
                let proof = engine.tokens.proof(for: try ProtocolParameters([:], parameters))
                #expect(try await refusal(at: proof, parameters, engine) == .secretMissing, "\(type)")
            }
        }
    }
}
