public import Core
public import Platform

/// A team as the issuer of notifications to its apps.
public protocol NotificationSigner: Sendable {
    /// Whether servers on the machine of the operator may be notified.
    var isSandbox: Bool { get }

    /// The `iss` that the backend of a group of apps expects.
    func issuer(for primaryAppID: ClientID) -> String

    /// The `iat` and `exp` of a notification signed at the given time.
    func validity(at moment: Timestamp) -> (issued: Timestamp, expires: Timestamp)

    /// The claims as a compact JWS (RFC 7515).
    func sign(_ claims: [UInt8], at moment: Timestamp) throws -> String
}

/// The teams of the installation as issuers of notifications.
public protocol NotificationSigners: Sendable {
    /// The signer of a team; nil if the team does not exist.
    func signer(of team: TeamID) async throws -> (any NotificationSigner)?
}
