import AuthEngine
import Bytes
import Domain
import HTTPClient

// Questions about tokens.
extension AppleCalls {
    /// What Apple says of a refresh token.
    enum Verdict: Sendable {
        case alive
        case dead
        /// `invalid_request`, which may mean either us or the person (Apple TN3107).
        case unclear
    }

    /// Asks whether a refresh token still lives (Apple, "Verifying a user").
    func validate(
        _ token: String,
        as clientID: ClientID,
        of registration: AppleRegistration
    ) async throws(ProviderFailure) -> Verdict {
        let fields = [
            FormCoding.Field("grant_type", "refresh_token"), FormCoding.Field("refresh_token", token),
        ]
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        let body = reply.object
        switch (reply.response.status, body?["error"]?.string) {
        case (200, _) where body?["access_token"]?.string != nil: return .alive
        case (200, _):
            throw ProviderFailure(.providerMalformed, .again, because: "Apple's answer has no access_token")
        case (400, "invalid_grant"?): return .dead
        case (400, "invalid_request"?): return .unclear
        default: throw reply.failure
        }
    }

    /// Whether Apple takes what proves us: a code that cannot be any is then all that is wrong.
    ///
    /// - Throws: `ProviderFailure`: with the cause `providerClient` when it does not.
    func proveConfiguration(
        as clientID: ClientID,
        of registration: AppleRegistration
    ) async throws(ProviderFailure) {
        let fields = [
            FormCoding.Field("grant_type", "authorization_code"),
            FormCoding.Field("code", "c.of.nobody"),
        ]
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        let error = reply.object?["error"]?.string
        guard error != "invalid_grant" else { return }
        guard reply.response.status == 400, error == "invalid_request" else { throw reply.failure }
        throw ProviderFailure(.providerClient, .none, because: "Apple answers every request invalid_request")
    }
}
