import Core
import Crypto
import HTTP

/// Pippin as the sample app uses it: a token endpoint and a key set.
struct Provider: Sendable {
    let registration: SampleApp.Registration
    let client: HTTPClient

    /// Result of redeeming a code.
    struct Redemption: Sendable {
        /// Response of the token endpoint, as JSON.
        let answer: String
        let claims: [(name: String, value: String)]
        let givenEmail: String?
    }

    /// Reason why a code could not be redeemed.
    enum Failure: Error, CustomStringConvertible {
        case refused(status: Int, body: String)
        case unreachable(String)
        case badToken(String)

        var description: String {
            switch self {
            case .refused(let status, let body): "the token address answered \(status): \(body)"
            case .unreachable(let reason): "Pippin cannot be reached (\(reason))"
            case .badToken(let reason): "the id_token is not good (\(reason))"
            }
        }
    }

    /// Redeems `code` and checks the ID token as OpenID Connect Core section 3.1.3.7 requires.
    func redeem(_ code: String, nonce: String, at moment: Timestamp) async throws -> Redemption {
        let body = FormCoding.encode([
            .init("grant_type", "authorization_code"), .init("code", code),
            .init("redirect_uri", registration.returnURL), .init("client_id", registration.clientID),
            .init("client_secret", try secret(at: moment)),
        ])
        let answer = try await call("POST", "/auth/token", Array(body.utf8))
        guard let json = try? JSON.decode(JSONValue.self, from: answer), let token = json["id_token"]?.string else {
            throw Failure.badToken("there is none")
        }
        let claims = try await verify(token, nonce: nonce, at: moment)
        let text = String(decoding: JSON.encode(json, pretty: true), as: UTF8.self)
        return Redemption(
            answer: text, claims: claims.members.map { ($0.key, Self.text($0.value)) }.sorted { $0.0 < $1.0 },
            givenEmail: try? claims.string("email"))
    }

    private func secret(at moment: Timestamp) throws -> String {
        var json = JSONWriter()
        json.member("iss", registration.teamID)
        json.member("iat", moment.seconds)
        json.member("exp", moment.seconds + 300)
        json.member("aud", registration.issuer)
        json.member("sub", registration.clientID)
        return try JWTSigner(key: registration.key, keyID: registration.keyID).sign(json.finish())
    }

    private func verify(_ token: String, nonce: String, at moment: Timestamp) async throws -> Claims {
        let keys = try JWKSet(json: try await call("GET", "/auth/keys", []))
        let jwt = try UnverifiedJWT(token)
        guard let keyID = jwt.header.keyID, let key = keys.key(id: keyID, algorithm: .rs256) as? RSAPublicKey else {
            throw Failure.badToken("its key is not published")
        }
        let claims = try jwt.verify(with: key)
        guard try claims.string("iss") == registration.issuer else { throw Failure.badToken("another issuer") }
        guard try claims.audience() == [registration.clientID] else { throw Failure.badToken("another audience") }
        guard try claims.date("exp").timestamp > moment else { throw Failure.badToken("it has expired") }
        guard try claims.string("nonce") == nonce else { throw Failure.badToken("another nonce") }
        return claims
    }

    private func call(_ method: String, _ path: String, _ body: [UInt8]) async throws -> [UInt8] {
        let request = ClientRequest(
            method, registration.issuer + path,
            fields: body.isEmpty ? [] : [("Content-Type", "application/x-www-form-urlencoded")], body: body,
            addresses: .publicAndLoopback)
        let response: ClientResponse
        do { response = try await client.send(request) } catch { throw Failure.unreachable("\(describing: error)") }
        guard response.status == 200 else {
            throw Failure.refused(status: response.status, body: String(decoding: response.body, as: UTF8.self))
        }
        return response.body
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        default: String(decoding: JSON.encode(value), as: UTF8.self)
        }
    }
}
