import Core
public import Crypto
import Directory
public import Platform
import Postgres
public import Registry

/// The registration of a group of apps at Apple: the clients Pippin acts as there, and the key that proves it.
public struct AppleRegistration: Sendable {
    /// The team of the apps in Pippin.
    public let team: TeamID
    /// The primary App ID of the group.
    public let appID: ClientID
    /// The Apple Team ID, the issuer of client secrets.
    public let teamID: AppleTeamID
    /// The Apple Services ID, the client of sign-ins on web and Android.
    public let servicesID: ClientID
    /// The bundle IDs of the group's apps, the clients of native sign-ins.
    public let bundleIDs: Set<ClientID>
    public let keyID: KeyID
    public let key: P256SigningKey
    /// The day on which the group came from another team at Apple, if it did.
    public let transferredOn: AppleTransferDay?

    public init(
        team: TeamID, appID: ClientID, teamID: AppleTeamID, servicesID: ClientID, bundleIDs: Set<ClientID>,
        keyID: KeyID, key: P256SigningKey, transferredOn: AppleTransferDay? = nil
    ) {
        self.team = team
        self.appID = appID
        self.teamID = teamID
        self.servicesID = servicesID
        self.bundleIDs = bundleIDs
        self.keyID = keyID
        self.key = key
        self.transferredOn = transferredOn
    }
}

extension AppleRegistration {
    /// Reads a row of `AppleKeyStore.connected`; nil for a key that cannot be decrypted, whose connection is unusable:
    /// the console's test shows the reason.
    init?(_ row: inout Row, of team: TeamID, _ groups: [ClientID: [AppID]], _ keys: AppleKeyStore)
        throws(PostgresFailure)
    {
        let (appID, servicesID): (ClientID, ClientID) = (try row.next(), try row.next())
        let (teamID, keyID): (AppleTeamID, KeyID) = (try row.next(), try row.next())
        let transferredOn = try row.next(String?.self).flatMap(AppleTransferDay.init(stored:))
        guard let key = keys.open(try row.next(), as: keyID, in: team) else { return nil }
        self.init(
            team: team, appID: appID, teamID: teamID, servicesID: servicesID,
            bundleIDs: Set(groups[appID, default: []].map(\.identifier)), keyID: keyID, key: key,
            transferredOn: transferredOn)
    }
}

extension TeamSnapshot {
    /// The group's registration at Apple, or nil when the group has none or the team does not offer sign-in with Apple.
    public func appleRegistration(of primaryAppID: ClientID) -> AppleRegistration? {
        identitySources.contains(.apple) ? appleRegistrations[primaryAppID] : nil
    }

    /// The group's registration at Apple for tokens issued earlier, even when sign-in with Apple is no longer offered.
    public func appleTokenRegistration(of primaryAppID: ClientID) -> AppleRegistration? {
        appleRegistrations[primaryAppID]
    }

    /// The group that Apple knows by that client ID, a bundle ID or an Apple Services ID.
    public func appleGroup(of client: ClientID) -> ClientID? {
        if let primaryAppID = apps[client]?.primaryAppID, appleRegistrations[primaryAppID] != nil {
            return primaryAppID
        }
        return appleRegistrations.values.first { $0.servicesID == client }?.appID
    }

    /// Whether users can sign in with Apple to apps of that group, or to Pippin's own pages when it is nil.
    public func offersApple(to primaryAppID: ClientID?) -> Bool {
        (primaryAppID ?? groupOfAccounts(at: .apple)).flatMap(appleRegistration) != nil
    }

    /// Whether the team offers sign-in with Apple.
    public var usesApple: Bool { identitySources.contains(.apple) }

    /// Whether any app of the team is registered at Apple, whether or not sign-in with Apple is offered at present.
    public var isRegisteredAtApple: Bool { !appleRegistrations.isEmpty }

    /// Whether users can sign in with the team's own directory.
    public var hasDirectory: Bool { identitySources.contains(.directory) }

    /// Group through which users sign in to the team's own pages: always the same one of those registered at the
    /// provider.
    public func groupOfAccounts(at provider: ProviderID) -> ClientID? {
        guard provider == .apple, usesApple else { return nil }
        return appleRegistrations.keys.min { $0.rawValue < $1.rawValue }
    }
}
