import AuthEngine
import Bytes
import Crypto
import Domain
import HTTPClient

/// Calls to Apple's token and revocation endpoints, as one of a team's clients there.
struct AppleCalls: Sendable {
    private static let bodyLimit = 64 * 1024

    let service: AppleService
    let client: HTTPClient
    let clock: @Sendable () -> Timestamp

    /// What the token endpoint gave.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
    }

    /// Redeems a code, or asks whether a refresh token still lives.
    func tokens(
        _ fields: [FormCoding.Field],
        as clientID: ClientID,
        of registration: AppleRegistration
    ) async throws(ProviderFailure) -> Tokens {
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        guard reply.response.status == 200 else { throw reply.failure }
        guard let value = reply.object else {
            throw reply.explaining(
                ProviderFailure(.providerMalformed, .anew, because: "Apple's answer is no JSON object")
            )
        }
        return Tokens(
            idToken: value["id_token"]?.string,
            accessToken: value["access_token"]?.string,
            refreshToken: value["refresh_token"]?.string
        )
    }

    /// Ends the authorization behind a token; Apple answers 200 for one that is dead already, too.
    func revoke(
        _ token: String,
        as clientID: ClientID,
        of registration: AppleRegistration
    ) async throws(ProviderFailure) {
        let fields = [
            FormCoding.Field("token", token), FormCoding.Field("token_type_hint", "refresh_token"),
        ]
        let reply = try await post(fields, to: service.revocationURL, as: clientID, registration)
        guard reply.response.status == 200 else { throw reply.failure }
    }

    /// A connection that was refused has spent nothing, so it is tried once more; whatever else went wrong may have.
    func post(
        _ fields: [FormCoding.Field],
        to url: String,
        as clientID: ClientID,
        _ registration: AppleRegistration
    ) async throws(ProviderFailure) -> Reply {
        var request = try request(fields, url, clientID, registration)
        let start = ContinuousClock.now
        do throws(ClientFailure) {
            return Reply(try await client.send(request), to: request, of: service)
        } catch .cannotConnect, .nameNotFound {
            request.deadline -= ContinuousClock.now - start
            do throws(ClientFailure) {
                return Reply(try await client.send(request), to: request, of: service)
            } catch {
                throw ProviderFailure(error, to: request)
            }
        } catch {
            throw ProviderFailure(error, to: request)
        }
    }

    private func request(
        _ fields: [FormCoding.Field],
        _ url: String,
        _ clientID: ClientID,
        _ registration: AppleRegistration
    ) throws(ProviderFailure) -> ClientRequest {
        let secret: String
        do {
            secret = try AppleClientSecret.make(for: clientID, of: registration, to: service, at: clock())
        } catch {
            throw ProviderFailure(
                .providerClient,
                .none,
                because: "the client secret cannot be signed: \(error)"
            )
        }
        let body = FormCoding.encode(
            [FormCoding.Field("client_id", clientID.rawValue), FormCoding.Field("client_secret", secret)]
                + fields
        )
        return ClientRequest(
            "POST",
            url,
            fields: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
            ],
            body: Array(body.utf8),
            deadline: service.patience.calls,
            bodyLimit: Self.bodyLimit,
            addresses: service.addresses,
            owner: registration.team.rawValue
        )
    }

    /// What Apple's refusal means (Apple TN3107): its word, and what may be done about it.
    static func failure(of response: ClientResponse) -> ProviderFailure {
        let error = object(response.body)?["error"]?.string
        switch (response.status, error) {
        case (429, _):
            return ProviderFailure(
                .providerThrottles,
                .again,
                because: "Apple asks for fewer calls (429)",
                retryAfter: response["Retry-After"].flatMap { Int($0) }.map {
                    .seconds(min(max($0, 1), 86_400))
                }
            )
        case (400..<500, "invalid_client"?), (400..<500, "unauthorized_client"?):
            return ProviderFailure(.providerClient, .none, because: "Apple answered \(error ?? "")")
        case (400..<500, "invalid_grant"?):
            return ProviderFailure(.providerCode, .anew, because: "Apple answered invalid_grant")
        case (500..., _):
            return ProviderFailure(
                .providerTrouble,
                .again,
                because: "Apple answered with status \(response.status)"
            )
        case (_, let error?):
            return ProviderFailure(
                .providerRequest,
                .anew,
                because: "Apple answered \(ProviderExchange.Answer.word(error))"
            )
        default:
            return ProviderFailure(
                .providerMalformed,
                .again,
                because: "Apple answered with status \(response.status) and nothing that can be read"
            )
        }
    }

    static func object(_ body: [UInt8]) -> JSONValue? {
        (try? JSON.object(body)).map { .object($0) }
    }
}

extension ProviderFailure {
    /// The same once the code is spent: what would help with the same code takes another one now.
    var afterSpending: ProviderFailure {
        guard remedy == .again else { return self }
        var failure = ProviderFailure(cause, .anew, because: reason)
        failure.exchange = exchange
        return failure
    }

    /// No answer to a form.
    init(_ failure: ClientFailure, to request: ClientRequest) {
        self.init(failure, .again)
        exchange = ProviderExchange(
            of: request.url,
            request.form,
            answer: ProviderExchange.Answer(noneBecause: "\(failure)")
        )
    }

    /// No answer at all.
    init(_ failure: ClientFailure, _ remedy: Remedy) {
        switch failure {
        case .malformedAnswer, .bodyTooLong:
            self.init(.providerMalformed, remedy, because: "Apple's answer broke off or is no answer")
        default: self.init(.providerUnreachable, remedy, because: "Apple cannot be reached: \(failure)")
        }
    }
}
