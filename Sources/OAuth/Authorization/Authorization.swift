public import Core
import Platform
import Postgres

/// Validation of authorization requests: parameters in, a valid request or a refusal out.
public struct Authorization: Sendable {
    private let testSignIns: TestSignInStore

    public init(testSignIns: TestSignInStore) { self.testSignIns = testSignIns }

    /// Validates a request to `team`.
    ///
    /// - Throws: `AuthorizationRefusal`, or `PostgresFailure` when the look-up of a test sign-in fails.
    public func judge(_ parameters: ProtocolParameters, to team: TeamSnapshot, at moment: Timestamp) async throws
        -> AuthorizationRequest
    {
        guard let text = parameters["client_id"] else {
            throw AuthorizationRefusal(.invalidRequest, cause: .clientMissing, because: "client_id is missing")
        }
        guard let id = ClientID(rawValue: text), let client = team.client(id) else {
            throw AuthorizationRefusal(.invalidClient, cause: .client(text), because: ClientID.refusal(text))
        }
        let testSignIn = try await testSignIn(of: client, parameters["redirect_uri"], in: team, at: moment)
        return try AuthorizationRequest(parameters, to: client, testSignIn)
    }

    /// Finds the test sign-in of an unregistered return URL; a registered one costs no look-up.
    private func testSignIn(of client: Client, _ redirectURI: String?, in team: TeamSnapshot, at moment: Timestamp)
        async throws(PostgresFailure) -> TestSignIn?
    {
        guard let url = redirectURI, !client.hasReturnURL(url), let id = TestSignInID(returnURL: url) else {
            return nil
        }
        guard let testSignIn = try await testSignIns.find(id, in: team.id, at: moment) else { return nil }
        return testSignIn.returnURL.isExactly(url) && testSignIn.serviceID == client.id ? testSignIn : nil
    }
}

/// A rejected authorization request: the user sees a page, the inspector shows the team the reason.
public struct AuthorizationRefusal: Error, Equatable, Sendable {
    public let error: OAuthError.Code
    public let reason: String
    /// The reason as one of a closed list, for explanations and counts in the team's inspector.
    public let cause: RefusalCause
    /// A suggestion for the team, when a registered value is similar.
    public let hint: String?

    init(_ error: OAuthError.Code, cause: RefusalCause, because reason: String, hint: String? = nil) {
        self.error = error
        self.cause = cause
        self.reason = reason
        self.hint = hint
    }

    /// A request whose parameters cannot be read.
    public init(_ error: OAuthError) { self.init(error.code, cause: error.cause, because: error.reason) }
}
