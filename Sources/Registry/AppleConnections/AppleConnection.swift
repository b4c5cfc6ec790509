public import Core
public import Platform
import Postgres

/// Registration of a primary App ID's group at Apple: the client credentials that Pippin uses for sign-ins at Apple.
///
/// Every value may differ from the team's own identifiers in Pippin.
public struct AppleConnection: Hashable, Sendable {
    /// The primary App ID; the bundle IDs of its group are the audiences of native sign-ins.
    public let appID: ClientID
    /// The Apple Services ID: the client for web and Android.
    public let servicesID: ClientID
    /// The imported Apple key that signs client secrets.
    public let keyID: KeyID
    /// The issuer of client secrets: the Apple team that owns the key.
    public let appleTeamID: AppleTeamID
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// Its editable values.
    public var draft: Draft { Draft(appID: appID, servicesID: servicesID, keyID: keyID) }

    /// The bundle IDs of a primary App ID's group, each a client at Apple of its own, in alphabetical order.
    ///
    /// Includes App IDs with sign-in disabled: tokens that Apple issued to them are validated and revoked under their
    /// identifiers, and Apple keeps sending notifications about their users.
    /// - Parameter apps: all App IDs of the team, each with the primary App ID of its group.
    public static func bundleIDs(
        of primary: ClientID, among apps: some Sequence<(app: ClientID, primaryAppID: ClientID)>
    ) -> [ClientID] { apps.filter { $0.primaryAppID == primary }.map(\.app).sorted { $0.rawValue < $1.rawValue } }

    /// Reads `AppleConnectionStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        servicesID = try row.next()
        keyID = try row.next()
        appleTeamID = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }
}
