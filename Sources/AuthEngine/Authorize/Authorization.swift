public import Bytes
import Domain
import Postgres

/// The authorization endpoint's judgement: parameters in, a request that may go on or a refusal out.
public struct Authorization: Sendable {
    private let trials: TrialStore

    public init(trials: TrialStore) {
        self.trials = trials
    }

    /// Judges a request to `team`.
    ///
    /// - Throws: `AuthorizationRefusal`, or `PostgresFailure` when a trial had to be looked up and could not be.
    public func judge(
        _ parameters: ProtocolParameters,
        to team: TeamSnapshot,
        at moment: Timestamp
    ) async throws -> AuthorizationRequest {
        guard let text = parameters["client_id"] else {
            throw AuthorizationRefusal(
                .invalidRequest,
                cause: .clientMissing,
                because: "client_id is missing"
            )
        }
        guard let id = ClientID(rawValue: text), let client = team.client(id) else {
            throw AuthorizationRefusal(
                .invalidClient,
                cause: .client(text),
                because: ClientID.refusal(text)
            )
        }
        let trial = try await trial(of: client, parameters["redirect_uri"], in: team, at: moment)
        let input = AuthorizationInput(parameters: parameters, client: client, trial: trial)
        for check in AuthorizationCheck.all { try check.judge(input) }
        return try request(input)
    }

    /// Only an address that is not registered can be a trial's, so ordinary requests cost no look-up.
    private func trial(
        of client: Client,
        _ redirectURI: String?,
        in team: TeamSnapshot,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Trial? {
        guard let url = redirectURI, !client.hasReturnURL(url), let id = TrialID(returnURL: url)
        else { return nil }
        guard let trial = try await trials.find(id, in: team.id, at: moment) else { return nil }
        return trial.returnURL.isExactly(url) && trial.serviceID == client.id ? trial : nil
    }

    /// Of a name to fill a field with: no address is longer (RFC 5321 section 4.5.3.1), and a longer text is no hint.
    private static let longestHint = 320

    private func request(_ input: AuthorizationInput) throws(AuthorizationRefusal) -> AuthorizationRequest {
        let parameters = input.parameters
        guard let redirectURI = parameters["redirect_uri"],
            let type = AuthorizationRequest.ResponseType(parameters),
            let mode = AuthorizationRequest.ResponseMode(parameters)
        else { throw AuthorizationRefusal(.invalidRequest, because: "the request is incomplete") }
        return AuthorizationRequest(
            client: input.client,
            redirectURI: redirectURI,
            responseType: type,
            responseMode: mode,
            scope: AuthorizationRequest.Scope(parameters),
            state: parameters["state"],
            nonce: parameters["nonce"],
            codeChallenge: parameters["code_challenge"],
            trial: input.trial?.id,
            loginHint: parameters["login_hint"].flatMap { $0.utf8.count <= Self.longestHint ? $0 : nil },
            locales: parameters["ui_locales"] ?? parameters["locale"],
            sent: parameters.fields
        )
    }
}
