import Core
import Crypto
import HTTP
import OAuth
import Platform

/// Calls to Apple's token and revocation endpoints, as one of a team's clients at Apple.
struct AppleCalls: Sendable {
    private static let bodyLimit = 64 * 1024

    let service: AppleService
    let client: HTTPClient
    let clock: @Sendable () -> Timestamp

    /// Tokens that the token endpoint returned.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
    }

    /// Sends a request to the token endpoint and returns its tokens.
    func tokens(_ fields: [FormCoding.Field], as clientID: ClientID, of registration: AppleRegistration)
        async throws(UpstreamFailure) -> Tokens
    {
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        guard reply.response.status == 200 else { throw reply.failure }
        guard let value = reply.object else {
            throw reply.explaining(
                UpstreamFailure(.upstreamMalformed, .anew, because: "Apple's answer is no JSON object"))
        }
        return Tokens(
            idToken: value["id_token"]?.string, accessToken: value["access_token"]?.string,
            refreshToken: value["refresh_token"]?.string)
    }

    /// Ends the authorization of a token; Apple also answers 200 for a token that is already dead.
    func revoke(_ token: String, as clientID: ClientID, of registration: AppleRegistration)
        async throws(UpstreamFailure)
    {
        let fields = [FormCoding.Field("token", token), FormCoding.Field("token_type_hint", "refresh_token")]
        let reply = try await post(fields, to: service.revocationURL, as: clientID, registration)
        guard reply.response.status == 200 else { throw reply.failure }
    }

    /// Posts a form; retries once if the connection failed, because that spends nothing, while other failures may.
    func post(_ fields: [FormCoding.Field], to url: String, as clientID: ClientID, _ registration: AppleRegistration)
        async throws(UpstreamFailure) -> Reply
    {
        var request = try request(fields, url, clientID, registration)
        let start = ContinuousClock.now
        do throws(ClientFailure) {
            do throws(ClientFailure) { return try await reply(to: request) } catch .cannotConnect, .nameNotFound {
                request.deadline -= ContinuousClock.now - start
                return try await reply(to: request)
            }
        } catch { throw UpstreamFailure(error, to: request) }
    }

    private func reply(to request: ClientRequest) async throws(ClientFailure) -> Reply {
        Reply(response: try await client.send(request), request: request, service: service)
    }

    private func request(
        _ fields: [FormCoding.Field], _ url: String, _ clientID: ClientID, _ registration: AppleRegistration
    ) throws(UpstreamFailure) -> ClientRequest {
        let secret: String
        do { secret = try AppleClientSecret.make(for: clientID, of: registration, to: service, at: clock()) } catch {
            throw UpstreamFailure(
                .upstreamClient, .none, because: "the client secret cannot be signed: \(describing: error)")
        }
        let body = FormCoding.encode(
            [FormCoding.Field("client_id", clientID.rawValue), FormCoding.Field("client_secret", secret)] + fields)
        return ClientRequest(
            "POST", url,
            fields: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
            body: Array(body.utf8), deadline: service.timeouts.calls, bodyLimit: Self.bodyLimit,
            addresses: service.addresses, owner: registration.team.rawValue)
    }

    /// Cause and remedy of Apple's refusal (Apple TN3107).
    static func failure(of response: ClientResponse) -> UpstreamFailure {
        let error = object(response.body)?["error"]?.string
        switch (response.status, error) {
        case (429, _):
            return UpstreamFailure(
                .upstreamThrottles, .again, because: "Apple asks for fewer calls (429)",
                retryAfter: response["Retry-After"].flatMap { Int($0) }.map { .seconds(min(max($0, 1), 86_400)) })
        case (400..<500, "invalid_client"?), (400..<500, "unauthorized_client"?):
            return UpstreamFailure(.upstreamClient, .none, because: "Apple answered \(error ?? "")")
        case (400..<500, "invalid_grant"?):
            return UpstreamFailure(.upstreamCode, .anew, because: "Apple answered invalid_grant")
        case (500..., _):
            return UpstreamFailure(.upstreamTrouble, .again, because: "Apple answered with status \(response.status)")
        case (_, let error?):
            return UpstreamFailure(
                .upstreamRequest, .anew, because: "Apple answered \(UpstreamExchange.Answer.word(error))")
        default:
            return UpstreamFailure(
                .upstreamMalformed, .again,
                because: "Apple answered with status \(response.status) and nothing that can be read")
        }
    }

    static func object(_ body: [UInt8]) -> JSONValue? { (try? JSON.object(body)).map { .object($0) } }
}

extension UpstreamFailure {
    /// This failure once the code is spent: instead of a retry with the same code, another code is needed.
    var afterSpending: UpstreamFailure {
        guard remedy == .again else { return self }
        var failure = UpstreamFailure(cause, .anew, because: reason)
        failure.exchange = exchange
        return failure
    }

    /// Missing answer to a form.
    init(_ failure: ClientFailure, to request: ClientRequest) {
        self.init(failure, .again)
        exchange = UpstreamExchange(
            of: request.url, request.form, answer: UpstreamExchange.Answer(noneBecause: "\(describing: failure)"))
    }

    /// Missing answer.
    init(_ failure: ClientFailure, _ remedy: Remedy) {
        switch failure {
        case .malformedAnswer, .bodyTooLong:
            self.init(.upstreamMalformed, remedy, because: "Apple's answer broke off or is no answer")
        default: self.init(.upstreamUnreachable, remedy, because: "Apple cannot be reached: \(describing: failure)")
        }
    }
}

extension AppleCalls {
    /// Apple's answer to a form.
    struct Reply: Sendable {
        let response: ClientResponse
        let request: ClientRequest
        let service: AppleService

        /// The body, if it is a JSON object.
        var object: JSONValue? { AppleCalls.object(response.body) }

        /// The failure that the answer reports.
        var failure: UpstreamFailure { explaining(AppleCalls.failure(of: response)) }

        /// Adds the request and its answer to a failure.
        func explaining(_ failure: UpstreamFailure) -> UpstreamFailure {
            var failure = failure
            failure.exchange = UpstreamExchange(of: request.url, request.form, answer: answer)
            return failure
        }

        private var answer: UpstreamExchange.Answer {
            UpstreamExchange.Answer(
                status: response.status, error: object?["error"]?.string,
                errorDescription: object?["error_description"]?.string,
                // Only the simulator reports faults.
                fault: service.issuer == AppleService.apple.issuer ? nil : response["Stand-In-Fault"])
        }
    }
}

extension ClientRequest {
    /// Fields of the form in the body.
    var form: [FormCoding.Field] { (try? FormCoding.decode(body, maximumFields: 24)) ?? [] }
}

// Validation of tokens.
extension AppleCalls {
    /// Apple's verdict on a refresh token.
    enum Verdict: Sendable {
        case alive
        case dead
        /// `invalid_request`, which may concern either the client configuration or the user (Apple TN3107).
        case unclear
    }

    /// Asks whether a refresh token is still valid (Apple, "Verifying a user").
    func validate(_ token: String, as clientID: ClientID, of registration: AppleRegistration)
        async throws(UpstreamFailure) -> Verdict
    {
        let fields = [FormCoding.Field("grant_type", "refresh_token"), FormCoding.Field("refresh_token", token)]
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        let body = reply.object
        switch (reply.response.status, body?["error"]?.string) {
        case (200, _) where body?["access_token"]?.string != nil: return .alive
        case (200, _): throw UpstreamFailure(.upstreamMalformed, .again, because: "Apple's answer has no access_token")
        case (400, "invalid_grant"?): return .dead
        case (400, "invalid_request"?): return .unclear
        default: throw reply.failure
        }
    }

    /// Checks that Apple accepts the client's credentials, by redeeming a code that cannot be valid.
    ///
    /// - Throws: `UpstreamFailure`: with the cause `upstreamClient` if Apple rejects them.
    func proveConfiguration(as clientID: ClientID, of registration: AppleRegistration) async throws(UpstreamFailure) {
        let fields = [FormCoding.Field("grant_type", "authorization_code"), FormCoding.Field("code", "c.of.nobody")]
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        let error = reply.object?["error"]?.string
        guard error != "invalid_grant" else { return }
        guard reply.response.status == 400, error == "invalid_request" else { throw reply.failure }
        throw UpstreamFailure(.upstreamClient, .none, because: "Apple answers every request invalid_request")
    }
}

/// Client secret: a JWT signed anew for each call with the team's imported key (Apple, "Creating a client secret").
enum AppleClientSecret {
    /// Lifetime, enough for one call; Apple accepts half a year.
    private static let life = Duration.seconds(300)

    /// Creates a client secret whose header is `kid` and `alg` alone, because Apple rejects other members.
    ///
    /// - Throws: `SigningFailure` if OpenSSL fails.
    static func make(
        for client: ClientID, of registration: AppleRegistration, to service: AppleService, at moment: Timestamp
    ) throws(SigningFailure) -> String {
        var claims = JSONWriter(capacity: 256)
        claims.member("iss", registration.teamID.rawValue)
        claims.member("iat", moment.seconds)
        claims.member("exp", (moment + life).seconds)
        claims.member("aud", service.issuer)
        claims.member("sub", client.rawValue)
        return try JWTSigner(key: registration.key, keyID: registration.keyID.rawValue).sign(claims.finish())
    }
}
