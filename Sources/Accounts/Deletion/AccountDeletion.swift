import Core
public import Crypto
public import Directory
public import Federation
public import OAuth
public import Platform
public import Postgres

/// Deletes accounts: revokes all tokens at once, notifies the apps, and writes a receipt with the state of each token.
public struct AccountDeletion: UpstreamAccounts {
    let database: TeamDatabase
    let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource) {
        self.database = database
        self.random = random
    }

    /// Deletes a user permanently, in one transaction.
    ///
    /// Sign-in traces are deleted with the user up to some thousand events; a job enqueued in the same transaction
    /// deletes the rest in batches.
    ///
    /// - Parameters:
    ///   - primaryAppID: the group of the requesting client, which the user must be using; nil when the user or a
    ///     member of the team requests the deletion.
    ///   - right: the session in which users delete their own account.
    /// - Returns: the receipt, or nil when the user does not exist or does not use the group's apps.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func delete(
        _ subject: Subject, in team: TeamID, for primaryAppID: ClientID? = nil, by actor: Actor,
        with right: SessionRight? = nil, from origin: Origin, reason: String? = nil
    ) async throws -> ReceiptID? {
        let row = LockedRow.person(subject, in: team)
        return try await database.change(in: team, by: actor, from: origin, locking: row) { change in
            if let right {
                // The same lock as the deletion takes: with a weaker one, two deletions would deadlock.
                try await change.query(UserStore.deletionLock(subject, in: team))
                try await right.check(change)
            }
            return try await delete(subject, for: primaryAppID, reason: reason, change)
        }
    }

    /// Deletes a user permanently.
    public func delete(
        _ subject: Subject, for primaryAppID: ClientID? = nil, reason: String? = nil, _ change: borrowing Change
    ) async throws(PostgresFailure) -> ReceiptID? {
        let receipt = ReceiptID(random: random)
        guard try await DeletionStore.lock(subject, usedBy: primaryAppID, change) else { return nil }
        try await DeletionStore.insert(receipt, of: subject, for: primaryAppID, change)
        try await DeletionStore.endUpstreamTokens(of: subject, change)
        try await Notifications.enqueue(.accountDelete, of: subject, in: change.team, change.transaction)
        _ = try await UserDeletionStore.delete(subject, reason: reason, change)
        try await UserTraceStore.removeFirst(of: subject, change)
        return receipt
    }

    public func end(_ subject: Subject, reason: String, _ change: borrowing Change) async throws {
        _ = try await delete(subject, reason: reason, change)
    }

    public func noting(_ fate: UpstreamTokenFate?, ofThose tokens: SQL, in team: TeamID) -> SQL {
        DeletionStore.noting(fate, ofThose: tokens, in: team)
    }
}

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
            throw OAuthError(.unauthorizedClient, cause: .testMayNot, because: "a test sign-in deletes no account")
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
            because: "sub names no user of the client's group of apps")
    }
}

extension PreparedAccess {
    /// Ends consents with their codes and tokens, and notifies the apps; ends upstream tokens and unlinks accounts at
    /// providers; deletes second factors, sessions and interactions.
    public static let everything = PreparedAccess { subject, change in
        let team = change.team
        try await change.query(UserStore.lock(subject, in: team))
        let linked = try await change.query(
            "SELECT DISTINCT provider FROM upstream_identities WHERE team_id = \(team) AND sub = \(subject)")
        for var row in linked {
            let provider: ProviderID = try row.next()
            try await UpstreamUnlink(of: subject, from: provider).apply(change)
        }
        let given = try await change.query(
            """
            SELECT app_id FROM consents WHERE team_id = \(team) AND sub = \(subject)
            UNION
            SELECT app_id FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL
            ORDER BY app_id
            """)
        for var row in given {
            let end = AuthorizationEnd.consent(
                of: subject, for: try row.next(), in: team, by: change.actor, from: change.origin)
            try await end.apply(change.transaction)
        }
        try await DeletionStore.endUpstreamTokens(of: subject, change)
        try await FactorStore.removeAll(of: subject, change)
        try await change.query(SessionStore.deletion(of: subject, in: team))
        try await change.query(UserStore.endingSignIns(of: subject, in: team))
        try await change.record("account.reclaimed", .user(subject))
    }
}
