import Core
public import Platform

/// The endpoint for migrating users with their app (Apple, TN3159): the old team requests the `transfer_sub` of a
/// user, the new team exchanges it for the `sub`.
public struct UserMigration: ClientEndpoint {
    let people: UserMigrationStore
    let tokens: LiveTokenStore

    public init(server: ServerContext, database: TeamDatabase) {
        people = UserMigrationStore(database: database, server: server)
        tokens = LiveTokenStore(database: database)
    }

    /// Answers `sub` and `target` with a `transfer_sub`, and a `transfer_sub` with the `sub` in this team.
    ///
    /// The `Authorization` field has the client's own token, or that of one of its users.
    ///
    /// - Throws: `OAuthError`, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        let (client, team, parameters) = (request.client.client, request.team, request.parameters)
        try await check(request.accessToken, of: client, in: team, at: request.moment)
        if let text = parameters["transfer_sub"] {
            return try await receive(text, client, team, request.origin, at: request.moment)
        }
        return try await send(
            try parameters.required("sub"), to: try parameters.required("target"), client, team, at: request.moment)
    }

    /// Requires a token of the client; a test sign-in has none.
    private func check(_ accessToken: String?, of client: Client, in team: TeamSnapshot, at moment: Timestamp)
        async throws
    {
        let refusal = OAuthError(
            .invalidRequest, cause: .accessTokenWrong, because: "no Bearer token of this client came along")
        guard let accessToken, let token = AccessToken(accessToken, of: team), token.expiresAt > moment else {
            throw refusal
        }
        switch token.holder {
        case .client(let digest):
            let issuedAt = token.expiresAt - TokenLifetime.accessToken
            guard digest == AccessToken.digest(of: client.id), issuedAt >= team.notBefore(of: client.id) else {
                throw refusal
            }
        case .user(let id): guard try await tokens.find(id, of: team)?.clientID == client.id else { throw refusal }
        }
    }

    private func send(_ sub: String, to target: String, _ client: Client, _ team: TeamSnapshot, at moment: Timestamp)
        async throws -> [UInt8]
    {
        guard let window = team.transfers.outgoing(client.primaryAppID, at: moment),
            window.team.rawValue.isExactly(target)
        else { throw Self.closed }
        guard let subject = Subject(rawValue: sub),
            let transferSub = try await people.send(subject, of: client.primaryAppID, through: window, from: team.id)
        else { throw Self.unknown }
        var json = JSONWriter(capacity: 96)
        json.member("transfer_sub", transferSub.rawValue)
        return json.finish()
    }

    private func receive(
        _ transferSub: String, _ client: Client, _ team: TeamSnapshot, _ origin: Origin, at moment: Timestamp
    ) async throws -> [UInt8] {
        guard team.transfers.incoming(client.primaryAppID, at: moment) != nil else { throw Self.closed }
        guard let transferSub = Subject(rawValue: transferSub),
            let person = try await people.receive(transferSub, for: client, in: team.id, from: origin, at: moment)
        else { throw Self.unknown }
        var json = JSONWriter(capacity: 256)
        json.member("sub", person.subject.rawValue)
        if let address = person.relayAddress {
            json.member("email", address)
            json.member("is_private_email", true)
        }
        return json.finish()
    }

    private static let closed = OAuthError(
        .invalidRequest, cause: .transferClosed, because: "no transfer of this App ID between these teams is open")

    private static let unknown = OAuthError(
        .invalidRequest, cause: .personUnknown, because: "no user of that name moves with this App ID")
}
