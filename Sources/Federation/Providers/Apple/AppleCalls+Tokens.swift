import Core
import HTTP
import OAuth
import Platform

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
        case (200, _): throw UpstreamFailure(.providerMalformed, .again, because: "Apple's answer has no access_token")
        case (400, "invalid_grant"?): return .dead
        case (400, "invalid_request"?): return .unclear
        default: throw reply.failure
        }
    }

    /// Checks that Apple accepts the client's credentials, by redeeming a code that cannot be valid.
    ///
    /// - Throws: `UpstreamFailure`: with the cause `providerClient` if Apple rejects them.
    func proveConfiguration(as clientID: ClientID, of registration: AppleRegistration) async throws(UpstreamFailure) {
        let fields = [FormCoding.Field("grant_type", "authorization_code"), FormCoding.Field("code", "c.of.nobody")]
        let reply = try await post(fields, to: service.tokenURL, as: clientID, registration)
        let error = reply.object?["error"]?.string
        guard error != "invalid_grant" else { return }
        guard reply.response.status == 400, error == "invalid_request" else { throw reply.failure }
        throw UpstreamFailure(.providerClient, .none, because: "Apple answers every request invalid_request")
    }
}
