import Bytes
public import Domain

/// The address an app's backend deletes accounts at (App Store Review Guideline 5.1.1(v): what an app lets people
/// create, it must let them delete, tokens included).
public struct DeleteAccount: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let deletion: AccountDeletion
    let receipts: DeletionReceiptStore

    public init(context: EngineContext, database: TeamDatabase, trials: TrialStore) {
        self.context = context
        self.trials = trials
        deletion = AccountDeletion(database, random: context.random)
        receipts = DeletionReceiptStore(database)
    }

    /// Deletes whom `sub` names, and answers with the receipt: the same one when an app asks again.
    ///
    /// Only a person who uses the client's own group of apps can be deleted by it: whoever has left them is a stranger.
    ///
    /// - Throws: `OAuthError`, `PostgresFailure`.
    public func respond(
        to parameters: ProtocolParameters,
        of team: TeamSnapshot,
        from origin: Origin
    ) async throws -> [UInt8] {
        let client = try await ClientAuthentication(at: team, context, trials).authenticate(
            parameters,
            at: context.clock()
        )
        guard client.trial == nil else {
            throw OAuthError(.unauthorizedClient, cause: .trialMayNot, because: "a trial deletes nobody")
        }
        let receipt = try await receipt(for: try parameters.required("sub"), client.client, team.id, origin)
        var json = JSONWriter(capacity: 256)
        json.member("receipt", receipt.rawValue)
        json.member("receipt_url", "\(context.base(of: team.id))/auth/receipts/\(receipt)")
        return json.finish()
    }

    private func receipt(
        for sub: String,
        _ client: Client,
        _ team: TeamID,
        _ origin: Origin
    ) async throws -> ReceiptID {
        guard let subject = Subject(rawValue: sub) else { throw Self.unknown }
        let receipt = try await deletion.delete(
            subject,
            in: team,
            for: client.group,
            by: .client(client.id),
            from: origin
        )
        if let receipt { return receipt }
        guard let earlier = try await receipts.find(of: subject, for: client.group, in: team) else {
            throw Self.unknown
        }
        return earlier
    }

    private static var unknown: OAuthError {
        OAuthError(
            .invalidRequest,
            "There is no user with this sub.",
            cause: .personUnknown,
            because: "sub names nobody who uses the client's group of apps"
        )
    }
}
