public import Bytes
public import Domain
import Postgres

/// How the group of a primary App ID is registered at Apple: what Pippin is to Apple when it signs people in there.
///
/// Every value may differ from the team's own identifiers here.
public struct AppleConnection: Hashable, Sendable {
    /// The primary App ID; the bundle IDs of its group are the audiences of native sign-ins.
    public let appID: ClientID
    /// The Services ID at Apple: the client of web and Android.
    public let servicesID: ClientID
    /// The imported key that signs client secrets.
    public let keyID: KeyID
    /// The issuer of client secrets: the team at Apple that the key is of.
    public let appleTeamID: AppleTeamID
    /// Raised with every change; a form carries the one it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// What of it can be edited.
    public var draft: Draft { Draft(appID: appID, servicesID: servicesID, keyID: keyID) }

    /// The bundle IDs of the group of a primary App ID, which are clients of Apple's by their own names, in alphabetical
    /// order.
    ///
    /// Those that people may not sign in to at present, too: what Apple gave to them is validated and revoked under their
    /// names, and Apple goes on telling of their people.
    /// - Parameter apps: the team's, each with the primary App ID of its group.
    public static func bundleIDs(
        of primary: ClientID,
        among apps: some Sequence<(app: ClientID, group: ClientID)>
    ) -> [ClientID] {
        apps.filter { $0.group == primary }.map(\.app).sorted { $0.rawValue < $1.rawValue }
    }

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
