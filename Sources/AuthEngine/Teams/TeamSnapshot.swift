import Bytes
import Crypto
public import Domain
public import Tenancy

/// A team as the protocol sees it at one moment: its clients, their keys, its signing keys.
///
/// Immutable.
public final class TeamSnapshot: Sendable {
    public let id: TeamID
    public let name: String
    public let isSandbox: Bool
    /// Whether it is about to be deleted, and answers apps and people no more.
    public let isClosed: Bool
    public let branding: Branding
    /// The SHA-256 of the logo in hexadecimal digits: part of its address.
    public let logoDigest: String?
    public let registration: Registration
    /// Where its people prove who they are.
    public let identitySources: [IdentitySource]
    /// What is asked beside a password.
    public let secondFactor: SecondFactor
    /// Raised by every change of the registry; tells whether this snapshot is still the team.
    public let version: Int

    let apps: [ClientID: App]
    let services: [ClientID: Service]
    let keys: [KeyID: IssuedKey]
    /// In the order they became active, the newest last.
    public let signingKeys: [TeamSigningKey]
    let accessTokens: OpaqueToken
    let tokenRules: TokenRules
    let transfers: TransferWindows
    /// By the primary App IDs of the groups that are registered at Apple.
    let appleRegistrations: [ClientID: AppleRegistration]
    /// The clients by what stands for them in tokens of theirs.
    private let clientsByDigest: KeptValue<[[UInt8]: ClientID]>
    /// Lives and dies with this snapshot.
    let verifiedSecrets = VerifiedSecrets()

    /// An App ID.
    struct App: Sendable {
        let isEnabled: Bool
        /// The primary App ID of its group; its own identifier when it is primary.
        let group: ClientID
        let description: String
    }

    /// A Service ID.
    struct Service: Sendable {
        let app: ClientID
        let description: String
        let issuesAsApple: Bool
        let writesStrings: Bool
        let requiresPKCE: Bool
        let returnURLs: [String]
        /// Those of them that the team's strictness refuses: no domain of theirs is verified.
        var unprovenURLs: [String] = []
    }

    /// A key that signs client secrets, with the group of apps it is bound to.
    struct IssuedKey: Sendable {
        let group: ClientID
        private let kept: KeptValue<P256PublicKey?>

        /// - Parameter pem: is read when the first secret is checked with it: a team may have a thousand keys, and a
        ///   loop that reads them all stands still.
        init(group: ClientID, pem: String) {
            self.group = group
            kept = KeptValue { try? P256PublicKey(pem: pem) }
        }

        /// Nil where what is stored is no key.
        var publicKey: P256PublicKey? { kept.value }
        /// Whether it was read already.
        var isRead: Bool { kept.isMade }
    }

    init(
        id: TeamID,
        name: String,
        isSandbox: Bool,
        isClosed: Bool = false,
        branding: Branding = Branding(),
        logoDigest: String? = nil,
        registration: Registration = .open,
        identitySources: [IdentitySource] = [.directory],
        secondFactor: SecondFactor = .optional,
        version: Int,
        apps: [ClientID: App],
        services: [ClientID: Service],
        keys: [KeyID: IssuedKey],
        signingKeys: [TeamSigningKey],
        accessTokens: OpaqueToken,
        tokenRules: TokenRules = TokenRules(),
        transfers: TransferWindows = TransferWindows(),
        appleRegistrations: [ClientID: AppleRegistration] = [:]
    ) {
        self.id = id
        self.name = name
        self.isSandbox = isSandbox
        self.isClosed = isClosed
        self.branding = branding
        self.logoDigest = logoDigest
        self.registration = registration
        self.identitySources = identitySources
        self.secondFactor = secondFactor
        self.version = version
        self.apps = apps
        self.services = services
        self.keys = keys
        self.signingKeys = signingKeys
        self.accessTokens = accessTokens
        self.tokenRules = tokenRules
        self.transfers = transfers
        self.appleRegistrations = appleRegistrations
        clientsByDigest = KeptValue {
            let ids = Array(services.keys) + Array(apps.keys)
            return Dictionary(ids.map { (AccessToken.digest(of: $0), $0) }) { first, _ in first }
        }
    }

    /// The client that a token of its own names.
    func client(named digest: [UInt8]) -> Client? {
        clientsByDigest.value[digest].flatMap(client)
    }
}

/// A client of the protocol: a Service ID or, for native apps, an App ID.
public struct Client: Sendable {
    public let id: ClientID
    /// The primary App ID of its group: consents and keys belong to the group.
    public let group: ClientID
    /// The name people read on the hosted pages.
    public let name: String
    public let returnURLs: [String]
    /// Those of them that lie on no verified domain, in a team that asks for one.
    var unprovenURLs: [String] = []
    public let requiresPKCE: Bool
    let isEnabled: Bool
    let issuesAsApple: Bool
    let writesStrings: Bool
}

extension TeamSnapshot {
    /// The client of that exact identifier, or nil.
    public func client(_ id: ClientID) -> Client? {
        if let service = services[id], let app = apps[service.app] {
            return Client(
                id: id,
                group: app.group,
                name: service.description,
                returnURLs: service.returnURLs,
                unprovenURLs: service.unprovenURLs,
                requiresPKCE: service.requiresPKCE,
                isEnabled: app.isEnabled && apps[app.group]?.isEnabled ?? false,
                issuesAsApple: service.issuesAsApple,
                writesStrings: service.writesStrings
            )
        }
        guard let app = apps[id] else { return nil }
        return Client(
            id: id,
            group: app.group,
            name: app.description,
            returnURLs: [],
            unprovenURLs: [],
            requiresPKCE: false,
            isEnabled: app.isEnabled && apps[app.group]?.isEnabled ?? false,
            issuesAsApple: false,
            writesStrings: false
        )
    }
}

extension Client {
    /// Whether that return URL is registered, octet for octet.
    func hasReturnURL(_ url: String) -> Bool {
        returnURLs.contains { $0.isExactly(url) }
    }

    /// Whether the team's strictness refuses that return URL, registered as it is.
    func isUnproven(_ url: String) -> Bool {
        unprovenURLs.contains { $0.isExactly(url) }
    }
}
