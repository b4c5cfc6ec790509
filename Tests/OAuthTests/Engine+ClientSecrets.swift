import Core
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

// Client secrets, right and wrong.
extension Engine {
    typealias SecretChange = @Sendable (inout ClientSecret) -> Void

    /// What becomes of a secret: nil is acceptance.
    func verdict(of client: ClientID = .web, key: KeyID? = nil, _ change: SecretChange = { _ in }) async throws
        -> OAuthError?
    { try await authenticate(try teams.secret(of: client, key: key, change), as: client) }

    /// Expects that the secret is accepted.
    func accepts(
        of client: ClientID = .web, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation,
        _ change: SecretChange = { _ in }
    ) async throws {
        let error = try await verdict(of: client, change)
        #expect(error == nil, comment, sourceLocation: location)
    }

    /// Expects that the secret is refused, whatever is wrong with it, as `invalid_client`.
    func refuses(
        of client: ClientID = .web, key: KeyID? = nil, _ comment: Comment? = nil,
        at location: SourceLocation = #_sourceLocation, _ change: SecretChange = { _ in }
    ) async throws {
        let error = try await verdict(of: client, key: key, change)
        #expect(error?.code == .invalidClient, comment, sourceLocation: location)
    }

    /// - Parameter known: the team as a loop knows it; as it is registered now, if nil.
    func authenticate(
        _ secret: String?, as client: ClientID = .web, in team: TeamID = .acme, of known: TeamSnapshot? = nil
    ) async throws -> OAuthError? {
        let snapshot = if let known { known } else { try await snapshot(team) }
        let authentication = ClientAuthentication(
            team: snapshot, base: teams.server.base(of: team), testSignIns: teams.testSignIns)
        let parameters = try ProtocolParameters(["client_id": client.rawValue], ["client_secret": secret])
        do {
            _ = try await authentication.authenticate(parameters, at: clock.now)
            return nil
        } catch let error as OAuthError { return error }
    }
}
