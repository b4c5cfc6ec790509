public import Bytes
public import Directory
public import Domain
public import Postgres

/// The id of the receipt of a deletion: whoever knows it may read it, so it cannot be guessed.
public typealias ReceiptID = RandomID<DeletionReceipt>

/// What became of a deleted account: each token and each notice.
public struct DeletionReceipt: Sendable {
    /// A token of the account.
    public struct Token: Sendable {
        /// What became of it.
        public enum Fate: String, SQLText, Sendable {
            case pending
            case revoked
            /// It cannot be revoked; the person does it themselves.
            case refused
            /// The person has come back before it was revoked at the provider, which would have ended their new sign-in:
            /// the token of that one stands for both.
            case superseded
        }

        /// Who gave it; nil for a token of ours.
        public let provider: ProviderID?
        public let clientID: ClientID
        public let issuedAt: Timestamp
        public let fate: Fate
        public let settledAt: Timestamp?
        /// Why it cannot be revoked.
        public let problem: ProviderTokenProblem?
    }

    /// What an app was told.
    public struct Notice: Sendable {
        public let appID: ClientID
        public let state: NoticeState
        public let settledAt: Timestamp?
    }

    public let id: ReceiptID
    public let createdAt: Timestamp
    public let tokens: [Token]
    public let notices: [Notice]

    /// Whether nothing is left to be done.
    public var isSettled: Bool {
        tokens.allSatisfy { $0.fate != .pending } && notices.allSatisfy { $0.state != .pending }
    }
}

extension DeletionReceipt {
    /// The receipt as an app reads it.
    public var json: [UInt8] {
        func time(_ moment: Timestamp?) -> JSONValue { moment.map { .string($0.description) } ?? .null }
        let value: JSONValue = [
            "receipt": .string(id.rawValue),
            "status": isSettled ? "done" : "pending",
            "created_at": time(createdAt),
            "tokens": .array(
                tokens.map { token in
                    [
                        "provider": token.provider.map { .string($0.rawValue) } ?? .null,
                        "client_id": .string(token.clientID.rawValue), "issued_at": time(token.issuedAt),
                        "fate": .string(token.fate.rawValue), "settled_at": time(token.settledAt),
                        "problem": token.problem.map { .string($0.rawValue) } ?? .null,
                    ]
                }
            ),
            "notices": .array(
                notices.map { notice in
                    [
                        "app_id": .string(notice.appID.rawValue), "state": .string(notice.state.rawValue),
                        "settled_at": time(notice.settledAt),
                    ]
                }
            ),
        ]
        return JSON.encode(value)
    }
}
