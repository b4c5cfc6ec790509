public import Core
public import Federation
public import OAuth
public import Platform
public import Postgres

/// Reads the receipts of deletions.
public struct DeletionReceiptStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Finds a receipt by its id.
    public func find(_ id: ReceiptID, in team: TeamID) async throws(PostgresFailure) -> DeletionReceipt? {
        let rows = try await database.query(
            """
            SELECT sub, created_at, app_id FROM deletion_receipts
            WHERE team_id = \(team) AND receipt_id = \(id)
            """, in: team)
        guard var row = rows.first else { return nil }
        let subject: Subject = try row.next()
        let createdAt: Timestamp = try row.next()
        let primaryAppID: ClientID? = try row.next()
        return DeletionReceipt(
            id: id, createdAt: createdAt, tokens: try await tokens(of: id, in: team),
            notifications: try await notifications(about: subject, to: primaryAppID, since: createdAt, in: team))
    }

    /// Finds the newest receipt of a client of the group for a user it has deleted before.
    func find(of subject: Subject, for primaryAppID: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> ReceiptID?
    {
        try await database.query(
            """
            SELECT receipt_id FROM deletion_receipts
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
            ORDER BY created_at DESC
            LIMIT 1
            """, in: team
        ).firstValue()
    }

    private func tokens(of id: ReceiptID, in team: TeamID) async throws(PostgresFailure) -> [DeletionReceipt.Token] {
        let rows = try await database.query(
            """
            SELECT provider, client_id, issued_at, fate, settled_at, problem FROM deletion_receipt_tokens
            WHERE team_id = \(team) AND receipt_id = \(id)
            ORDER BY number
            """, in: team)
        return try rows.all(DeletionReceipt.Token.init)
    }

    /// The notifications of one deletion, up to the next one: the user may have signed up and been deleted again.
    ///
    /// - Parameter primaryAppID: the group of the receipt; nil for receipts of users and teams, which list all groups.
    private func notifications(
        about subject: Subject, to primaryAppID: ClientID?, since moment: Timestamp, in team: TeamID
    ) async throws(PostgresFailure) -> [DeletionReceipt.Notification] {
        let rows = try await database.query(
            """
            SELECT app_id, state, settled_at FROM notifications
            WHERE team_id = \(team) AND sub = \(subject) AND type = 'account-delete' AND created_at >= \(moment)
                AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                AND created_at < coalesce(
                    (
                        SELECT min(created_at) FROM deletion_receipts
                        WHERE team_id = \(team) AND sub = \(subject) AND created_at > \(moment)
                    ),
                    'infinity'
                )
            ORDER BY app_id, created_at
            """, in: team)
        return try rows.all { (row: inout Row) throws(PostgresFailure) in
            DeletionReceipt.Notification(appID: try row.next(), state: try row.next(), settledAt: try row.next())
        }
    }
}

extension DeletionReceipt.Token {
    /// The stored form of `superseded`: releases without this state read it as a refusal with an unknown problem.
    static let supersession = (fate: "refused", problem: "superseded")

    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        clientID = try row.next()
        issuedAt = try row.next()
        let fate: Fate = try row.next()
        settledAt = try row.next()
        let problem: String? = try row.next()
        self.fate = problem == Self.supersession.problem ? .superseded : fate
        self.problem = problem.flatMap(UpstreamTokenProblem.init)
    }
}

/// The id of a deletion receipt: random, because it alone gives access to the receipt.
public typealias ReceiptID = RandomID<DeletionReceipt>

/// The result of an account deletion: the state of each token and each notification.
public struct DeletionReceipt: Sendable {
    /// A token of the account.
    public struct Token: Sendable {
        /// State of a token: pending, revoked, refused, superseded.
        public enum Fate: String, SQLText, CaseIterable, Sendable {
            case pending
            case revoked
            /// Revocation is impossible; only the user can end the authorization.
            case refused
            /// Not revoked, because the user signed in again first and revocation would have ended the new sign-in at
            /// the provider; the token of the new sign-in stands for both.
            case superseded
        }

        /// The provider that issued the token; nil for a token issued by Pippin.
        public let provider: ProviderID?
        public let clientID: String
        public let issuedAt: Timestamp
        public let fate: Fate
        public let settledAt: Timestamp?
        /// Why the token cannot be revoked.
        public let problem: UpstreamTokenProblem?
    }

    /// The notification of one app.
    public struct Notification: Sendable {
        public let appID: ClientID
        public let state: NotificationState
        public let settledAt: Timestamp?
    }

    public let id: ReceiptID
    public let createdAt: Timestamp
    public let tokens: [Token]
    public let notifications: [Notification]

    /// Whether no token or notification is pending.
    public var isSettled: Bool {
        tokens.allSatisfy { $0.fate != .pending } && notifications.allSatisfy { $0.state != .pending }
    }
}

extension DeletionReceipt {
    /// The receipt as JSON for the app.
    public var json: [UInt8] {
        func time(_ moment: Timestamp?) -> JSONValue { moment.map { .string($0.description) } ?? .null }
        let value: JSONValue = [
            "receipt": .string(id.rawValue), "status": isSettled ? "done" : "pending", "created_at": time(createdAt),
            "tokens": .array(
                tokens.map { token in
                    [
                        "provider": token.provider.map { .string($0.rawValue) } ?? .null,
                        "client_id": .string(token.clientID), "issued_at": time(token.issuedAt),
                        "fate": .string(token.fate.rawValue), "settled_at": time(token.settledAt),
                        "problem": token.problem.map { .string($0.rawValue) } ?? .null,
                    ]
                }),
            "notices": .array(
                notifications.map { notification in
                    [
                        "app_id": .string(notification.appID.rawValue), "state": .string(notification.state.rawValue),
                        "settled_at": time(notification.settledAt),
                    ]
                }),
        ]
        return JSON.encode(value)
    }
}
