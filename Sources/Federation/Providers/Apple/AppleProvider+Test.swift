import Core
import HTTP
public import OAuth
public import Platform
public import Registry

// Connection test that needs no user.
extension AppleProvider {
    /// Code that was never issued.
    private static let code = "pippin.connection.test"

    /// Tests a client of a registration by redeeming a code that does not exist.
    ///
    /// Apple checks the client secret first, so `invalid_grant` proves that key, team and client match, and
    /// `invalid_client` that one of them does not (Apple TN3107).
    ///
    /// - Parameter returnURL: URL registered for the Apple Services ID; nil for bundle IDs, which have none.
    public func test(_ client: ClientID, of registration: AppleRegistration, returnURL: String?) async
        -> AppleConnectionTest
    {
        let (outcome, detail) = await answer(client, registration, returnURL)
        return AppleConnectionTest(
            clientID: client, keyID: registration.keyID, appleTeamID: registration.teamID, outcome: outcome,
            detail: detail, testedAt: clock())
    }

    private func answer(_ client: ClientID, _ registration: AppleRegistration, _ returnURL: String?) async -> (
        AppleConnectionTest.Outcome, String
    ) {
        var fields = [FormCoding.Field("grant_type", "authorization_code"), FormCoding.Field("code", Self.code)]
        if let returnURL { fields.append(FormCoding.Field("redirect_uri", returnURL)) }
        do throws(UpstreamFailure) {
            let reply = try await calls.post(fields, to: service.tokenURL, as: client, registration)
            return Self.judge(reply.response)
        } catch { return (error.cause == .providerUnreachable ? .unreachable : .trouble, error.reason) }
    }

    private static func judge(_ response: ClientResponse) -> (AppleConnectionTest.Outcome, String) {
        let word = AppleCalls.object(response.body)?["error"]?.string.map { $0.cut(toOctets: 60) }
        let detail = word ?? "status \(response.status)"
        return switch (response.status, word) {
        case (429, _): (.throttled, detail)
        case (500..., _): (.trouble, detail)
        case (400..<500, "invalid_grant"?): (.accepted, detail)
        case (400..<500, "invalid_client"?): (.refused, detail)
        default: (.unexpected, detail)
        }
    }
}
