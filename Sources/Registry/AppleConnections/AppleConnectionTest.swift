public import Bytes
public import Domain
public import Postgres

/// What Apple said to one of a connection's clients that tried to redeem a code nobody was given.
public struct AppleConnectionTest: Hashable, Sendable {
    /// What it shows.
    public enum Outcome: String, SQLText, CaseIterable, Sendable {
        /// `invalid_grant`: Apple believed the client secret and knows the client, only not the code.
        case accepted
        /// `invalid_client`: one of the values is wrong.
        case refused
        /// Another error: nothing is proved.
        case unexpected
        case throttled
        /// Apple has trouble of its own.
        case trouble
        case unreachable
    }

    /// The client at Apple: the Services ID, or a bundle ID.
    public let clientID: ClientID
    /// What it was tried with.
    public let keyID: KeyID
    public let appleTeamID: AppleTeamID
    public let outcome: Outcome
    /// Apple's word, or why there is none; holds no secret.
    public let detail: String
    public let testedAt: Timestamp

    public init(
        clientID: ClientID,
        keyID: KeyID,
        appleTeamID: AppleTeamID,
        outcome: Outcome,
        detail: String,
        testedAt: Timestamp
    ) {
        self.clientID = clientID
        self.keyID = keyID
        self.appleTeamID = appleTeamID
        self.outcome = outcome
        self.detail = detail
        self.testedAt = testedAt
    }

    /// Whether it speaks of a connection as that is now.
    public func concerns(_ connection: AppleConnection) -> Bool {
        keyID == connection.keyID && appleTeamID == connection.appleTeamID
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        clientID = try row.next()
        keyID = try row.next()
        appleTeamID = try row.next()
        outcome = try row.next()
        detail = try row.next()
        testedAt = try row.next()
    }
}
