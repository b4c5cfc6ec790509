public import AuthEngine
import Bytes
public import Domain
import HTTPClient
public import Registry

// A try at Apple without anybody who signs in.
extension AppleProvider {
    /// Nobody was ever given this code.
    private static let code = "pippin.connection.test"

    /// Has one client of a registration redeem a code that does not exist: Apple looks at the client secret first, so
    /// that `invalid_grant` proves key, team and client right, and `invalid_client` that one of them is not
    /// (Apple TN3107).
    ///
    /// - Parameter returnURL: what is registered for the Services ID; nil for bundle IDs, which have none.
    public func test(
        _ client: ClientID,
        of registration: AppleRegistration,
        returnURL: String?
    ) async -> AppleConnectionTest {
        let (outcome, detail) = await answer(client, registration, returnURL)
        return AppleConnectionTest(
            clientID: client,
            keyID: registration.keyID,
            appleTeamID: registration.teamID,
            outcome: outcome,
            detail: detail,
            testedAt: clock()
        )
    }

    private func answer(
        _ client: ClientID,
        _ registration: AppleRegistration,
        _ returnURL: String?
    ) async -> (AppleConnectionTest.Outcome, String) {
        var fields = [
            FormCoding.Field("grant_type", "authorization_code"), FormCoding.Field("code", Self.code),
        ]
        if let returnURL { fields.append(FormCoding.Field("redirect_uri", returnURL)) }
        do throws(ProviderFailure) {
            let reply = try await calls.post(fields, to: service.tokenURL, as: client, registration)
            return Self.judge(reply.response)
        } catch {
            return (error.cause == .providerUnreachable ? .unreachable : .trouble, error.reason)
        }
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
