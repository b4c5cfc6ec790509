public import Crypto
import Directory
public import Domain
import Tenancy

/// What a group of apps is to Apple: the clients Pippin speaks for there, and the key that proves it.
public struct AppleRegistration: Sendable {
    /// Whose apps they are here.
    public let team: TeamID
    /// The primary App ID of the group.
    public let appID: ClientID
    /// The issuer of client secrets.
    public let teamID: AppleTeamID
    /// The client of sign-ins on web and Android.
    public let servicesID: ClientID
    /// The clients of native sign-ins: the group's apps.
    public let bundleIDs: Set<ClientID>
    public let keyID: KeyID
    public let key: P256SigningKey

    public init(
        team: TeamID,
        appID: ClientID,
        teamID: AppleTeamID,
        servicesID: ClientID,
        bundleIDs: Set<ClientID>,
        keyID: KeyID,
        key: P256SigningKey
    ) {
        self.team = team
        self.appID = appID
        self.teamID = teamID
        self.servicesID = servicesID
        self.bundleIDs = bundleIDs
        self.keyID = keyID
        self.key = key
    }
}

extension TeamSnapshot {
    /// How that group of apps is registered at Apple, where the team lets people sign in there; else nil.
    public func appleRegistration(of group: ClientID) -> AppleRegistration? {
        identitySources.contains(.apple) ? appleRegistrations[group] : nil
    }

    /// How that group is registered at Apple for what it gave already, even where nobody may sign in by it now.
    public func appleTokenRegistration(of group: ClientID) -> AppleRegistration? {
        appleRegistrations[group]
    }

    /// The group that is a client of Apple's under that name, as an app of its own or as a Services ID; the first in the
    /// order of names where several share one (`apple_connections.shares_services_id`).
    public func appleGroup(of client: ClientID) -> ClientID? {
        if let group = apps[client]?.group, appleRegistrations[group] != nil { return group }
        return appleRegistrations.values.filter { $0.servicesID == client }
            .map(\.appID).min { $0.rawValue < $1.rawValue }
    }

    /// Whether people may come by way of Apple to apps of that group; to pages of ours, where it is nil.
    public func offersApple(to group: ClientID?) -> Bool {
        (group ?? groupOfAccounts(at: .apple)).flatMap(appleRegistration) != nil
    }

    /// Whether the team sends people to Apple to prove who they are.
    public var usesApple: Bool { identitySources.contains(.apple) }

    /// Whether any app of the team is registered at Apple, be people sent there now or not.
    public var isRegisteredAtApple: Bool { !appleRegistrations.isEmpty }

    /// Whether people prove who they are on a page of ours.
    public var hasDirectory: Bool { identitySources.contains(.directory) }
}
