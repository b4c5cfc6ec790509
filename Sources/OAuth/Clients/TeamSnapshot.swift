import Core
import Crypto
public import Platform
public import Registry

/// A team as the protocol uses it, at one moment: its clients, their keys, its signing keys.
///
/// Immutable.
public final class TeamSnapshot: Sendable {
    public let id: TeamID
    public let name: String
    public let isSandbox: Bool
    /// Whether the team is in deletion and closed to apps and users.
    public let isClosed: Bool
    public let branding: Branding
    /// SHA-256 of the logo in hexadecimal digits, part of its URL.
    public let logoDigest: String?
    public let registration: Registration
    /// The ways in which the team's users can sign in.
    public let identitySources: [IdentitySource]
    /// Whether a second factor is required in addition to a password.
    public let secondFactor: SecondFactor
    /// Version of the registry, incremented by every change; shows whether this snapshot is current.
    public let version: Int

    let apps: [ClientID: App]
    let services: [ClientID: Service]
    let keys: [KeyID: IssuedKey]
    /// In the order of activation, newest last.
    public let signingKeys: [TeamSigningKey]
    let accessTokens: OpaqueToken
    let tokenRules: TokenRules
    let transfers: TransferWindows
    /// By the primary App IDs of the groups registered at Apple.
    let appleRegistrations: [ClientID: AppleRegistration]
    /// The clients by the digest that represents them in their own access tokens.
    private let clientsByDigest: LazyValue<[[UInt8]: ClientID]>
    /// A cache with the same lifetime as this snapshot.
    let verifiedSecrets = VerifiedSecrets()

    /// An App ID.
    struct App: Sendable {
        let isEnabled: Bool
        /// The primary App ID of its group; its own identifier when it is primary.
        let primaryAppID: ClientID
        let description: String
        let issuesAsApple: Bool
    }

    /// A Service ID.
    struct Service: Sendable {
        let app: ClientID
        let description: String
        let issuesAsApple: Bool
        let writesStrings: Bool
        let requiresPKCE: Bool
        let returnURLs: [String]
        /// Return URLs without a verified domain, which are rejected because the team requires verified domains.
        var unprovenURLs: [String] = []
    }

    /// A key that signs client secrets, and the group of apps it is bound to.
    struct IssuedKey: Sendable {
        let primaryAppID: ClientID
        private let kept: LazyValue<P256PublicKey?>

        /// - Parameter pem: parsed at the first verification with the key: a team may have a thousand keys, and parsing
        ///   all of them would block the loop.
        init(primaryAppID: ClientID, pem: String) {
            self.primaryAppID = primaryAppID
            kept = LazyValue { try? P256PublicKey(pem: pem) }
        }

        /// The parsed key; nil when the stored text is not a valid key.
        var publicKey: P256PublicKey? { kept.value }
        /// Whether the key has been parsed.
        var isRead: Bool { kept.isMade }
    }

    init(
        id: TeamID, name: String, isSandbox: Bool, isClosed: Bool = false, branding: Branding = Branding(),
        logoDigest: String? = nil, registration: Registration = .open, identitySources: [IdentitySource] = [.directory],
        secondFactor: SecondFactor = .optional, version: Int, apps: [ClientID: App], services: [ClientID: Service],
        keys: [KeyID: IssuedKey], signingKeys: [TeamSigningKey], accessTokens: OpaqueToken,
        tokenRules: TokenRules = TokenRules(), transfers: TransferWindows = TransferWindows(),
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
        clientsByDigest = LazyValue {
            let ids = Array(services.keys) + Array(apps.keys)
            return Dictionary(ids.map { (AccessToken.digest(of: $0), $0) }) { first, _ in first }
        }
    }

    /// The client with that digest in its own access tokens.
    func client(named digest: [UInt8]) -> Client? { clientsByDigest.value[digest].flatMap(client) }
}

/// A client of the protocol: a Service ID or, for native apps, an App ID.
public struct Client: Sendable {
    public let id: ClientID
    /// The primary App ID of its group: consents and keys belong to the group.
    public let primaryAppID: ClientID
    /// The name shown to users on the hosted pages.
    public let name: String
    public let returnURLs: [String]
    /// Return URLs without a verified domain, in a team that requires one; else empty.
    var unprovenURLs: [String] = []
    public let requiresPKCE: Bool
    public let isEnabled: Bool
    let issuesAsApple: Bool
    let writesStrings: Bool
}

extension TeamSnapshot {
    /// The client with exactly that identifier, or nil.
    public func client(_ id: ClientID) -> Client? {
        if let service = services[id], let app = apps[service.app] {
            return Client(
                id: id, primaryAppID: app.primaryAppID, name: service.description, returnURLs: service.returnURLs,
                unprovenURLs: service.unprovenURLs, requiresPKCE: service.requiresPKCE,
                isEnabled: app.isEnabled && apps[app.primaryAppID]?.isEnabled ?? false,
                issuesAsApple: service.issuesAsApple, writesStrings: service.writesStrings)
        }
        guard let app = apps[id] else { return nil }
        return Client(
            id: id, primaryAppID: app.primaryAppID, name: app.description, returnURLs: [], unprovenURLs: [],
            requiresPKCE: false, isEnabled: app.isEnabled && apps[app.primaryAppID]?.isEnabled ?? false,
            issuesAsApple: app.issuesAsApple, writesStrings: false)
    }
}

extension Client {
    /// Whether the return URL is registered, compared octet by octet.
    func hasReturnURL(_ url: String) -> Bool { returnURLs.contains { $0.isExactly(url) } }

    /// Whether the return URL is registered but rejected, because the team requires verified domains.
    func isUnproven(_ url: String) -> Bool { unprovenURLs.contains { $0.isExactly(url) } }
}
