public import Core
public import Platform
public import Postgres

/// Result of redeeming a nonexistent authorization code at Apple as one client of a connection.
public struct AppleConnectionTest: Hashable, Sendable {
    /// Meaning of Apple's response.
    public enum Outcome: String, SQLText, CaseIterable, Sendable {
        /// `invalid_grant`: Apple accepted the client secret and the client, and rejected only the code.
        case accepted
        /// `invalid_client`: one of the values is wrong.
        case refused
        /// Another error, which proves nothing.
        case unexpected
        case throttled
        /// Apple reports an error of its own.
        case trouble
        case unreachable
    }

    /// The client at Apple: the Services ID, or a bundle ID.
    public let clientID: ClientID
    /// The key that signed the client secret.
    public let keyID: KeyID
    public let appleTeamID: AppleTeamID
    public let outcome: Outcome
    /// Apple's error, or why there is no response; contains no secret.
    public let detail: String
    public let testedAt: Timestamp

    public init(
        clientID: ClientID, keyID: KeyID, appleTeamID: AppleTeamID, outcome: Outcome, detail: String,
        testedAt: Timestamp
    ) {
        self.clientID = clientID
        self.keyID = keyID
        self.appleTeamID = appleTeamID
        self.outcome = outcome
        self.detail = detail
        self.testedAt = testedAt
    }

    /// Whether the test used the connection's present key and Apple team.
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
