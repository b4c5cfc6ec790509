import Bytes
public import Domain
public import OAuth

/// The endpoint with which an app's backend deletes accounts (App Store Review Guideline 5.1.1(v): an app that lets
/// users create accounts must let them delete these, tokens included).
public struct DeleteAccount: ClientEndpoint {
    let server: ServerContext
    let deletion: AccountDeletion
    let receipts: DeletionReceiptStore

    public init(server: ServerContext, database: TeamDatabase) {
        self.server = server
        deletion = AccountDeletion(database, random: server.random)
        receipts = DeletionReceiptStore(database)
    }

    /// Deletes the user that `sub` names and responds with the receipt; a repeated request gets the same receipt.
    ///
    /// A client can delete only users of its own group of apps; a user who has ended that use is unknown to it.
    ///
    /// - Throws: `OAuthError`, `PostgresFailure`.
    public func respond(to request: AuthenticatedRequest) async throws -> [UInt8] {
        guard request.client.testSignIn == nil else {
            throw OAuthError(.unauthorizedClient, cause: .testMayNot, because: "a test sign-in deletes nobody")
        }
        let (client, team) = (request.client.client, request.team)
        let sub = try request.parameters.required("sub")
        let receipt = try await receipt(for: sub, client, team.id, request.origin)
        var json = JSONWriter(capacity: 256)
        json.member("receipt", receipt.rawValue)
        json.member("receipt_url", "\(server.base(of: team.id))/auth/receipts/\(receipt)")
        return json.finish()
    }

    private func receipt(for sub: String, _ client: Client, _ team: TeamID, _ origin: Origin) async throws -> ReceiptID
    {
        guard let subject = Subject(rawValue: sub) else { throw Self.unknown }
        let receipt = try await deletion.delete(
            subject, in: team, for: client.primaryAppID, by: .client(client.id), from: origin)
        if let receipt { return receipt }
        guard let earlier = try await receipts.find(of: subject, for: client.primaryAppID, in: team) else {
            throw Self.unknown
        }
        return earlier
    }

    private static var unknown: OAuthError {
        OAuthError(
            .invalidRequest, "There is no user with this sub.", cause: .personUnknown,
            because: "sub names nobody who uses the client's group of apps")
    }
}
