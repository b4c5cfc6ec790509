public import Core
import Directory
public import Federation
public import OAuth
public import Platform
public import Postgres

/// The id of a deletion receipt: random, because it alone gives access to the receipt.
public typealias ReceiptID = RandomID<DeletionReceipt>

/// The result of an account deletion: the state of each token and each notification.
public struct DeletionReceipt: Sendable {
    /// A token of the account.
    public struct Token: Sendable {
        /// State of a token: pending, revoked, refused, superseded.
        public enum Fate: String, SQLText, Sendable {
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
        public let clientID: ClientID
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
                        "client_id": .string(token.clientID.rawValue), "issued_at": time(token.issuedAt),
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
