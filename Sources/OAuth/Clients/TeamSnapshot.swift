public import Core
import Crypto
import EventLoop
public import Platform
import Postgres
public import Registry
import Synchronization

/// A team as the protocol uses it, at one moment: its clients, their keys, its signing keys.
///
/// Immutable.
public final class TeamSnapshot: Sendable {
    let team: Team
    /// SHA-256 of the logo in hexadecimal digits, part of its URL.
    public let logoDigest: String?
    /// Whether the key set holds Apple's keys, too.
    public let publishesAppleKeys: Bool
    /// Version of the registry, incremented by every change; shows whether this snapshot is current.
    public let version: Int

    let apps: [ClientID: AppID]
    let services: [ClientID: ServiceID]
    /// By Service ID, return URLs without a verified domain, which are rejected because the team requires one.
    private let unprovenURLs: [ClientID: [ReturnURL]]
    let keys: [KeyID: IssuedKey]
    /// In the order of activation, newest last.
    public let signingKeys: [TeamSigningKey]
    let accessTokens: OpaqueToken
    /// Lifetime of an `id_token`.
    let idTokenLife: Duration
    /// By client, with `NotBeforeScope.everyClient` for the whole team: tokens issued earlier are invalid.
    let notBefores: [String: Timestamp]
    let transfers: TransferWindows
    /// By the primary App IDs of the groups registered at Apple.
    let appleRegistrations: [ClientID: AppleRegistration]
    /// The clients by the digest that represents them in their own access tokens.
    private let clientsByDigest: LazyValue<[[UInt8]: ClientID]>
    /// A cache with the same lifetime as this snapshot.
    let verifiedSecrets = VerifiedSecrets()

    /// A key that signs client secrets, and the group of apps it is bound to.
    struct IssuedKey: Sendable {
        let primaryAppID: ClientID
        private let kept: LazyValue<P256PublicKey?>

        /// - Parameter pem: parsed at the first verification with the key: a team may have a thousand keys, and parsing
        ///   all of them would block the loop.
        init(_ primaryAppID: ClientID, pem: String) {
            self.primaryAppID = primaryAppID
            kept = LazyValue { try? P256PublicKey(pem: pem) }
        }

        /// The parsed key; nil when the stored text is not a valid key.
        var publicKey: P256PublicKey? { kept.value }
        /// Whether the key has been parsed.
        var isRead: Bool { kept.isMade }
    }

    /// - Parameter verified: the team's verified domains.
    init(
        _ team: Team, logoDigest: String? = nil, version: Int, apps: [AppID] = [], services: [ServiceID] = [],
        verified: [DomainName] = [], keys: [Key] = [], signingKeys: [TeamSigningKey], accessTokens: OpaqueToken,
        notBefores: [String: Timestamp] = [:], transfers: TransferWindows = TransferWindows(),
        appleRegistrations: [AppleRegistration] = []
    ) {
        self.team = team
        self.logoDigest = logoDigest
        self.version = version
        let byIdentifier = Dictionary(uniqueKeysWithValues: apps.map { ($0.identifier, $0) })
        self.apps = byIdentifier
        self.services = Dictionary(uniqueKeysWithValues: services.map { ($0.identifier, $0) })
        let proofs = Set(verified)
        unprovenURLs =
            team.settings.requiresVerifiedDomains
            ? Dictionary(
                uniqueKeysWithValues: services.map { service in
                    (service.identifier, service.unprovenURLs(by: service.domains.filter(proofs.contains)))
                }) : [:]
        self.keys = Dictionary(
            uniqueKeysWithValues: keys.compactMap { key in
                byIdentifier[key.appID].map { (key.id, IssuedKey($0.primaryAppID, pem: key.publicKeyPEM)) }
            })
        self.signingKeys = signingKeys
        self.accessTokens = accessTokens
        idTokenLife = .seconds(team.settings.idTokenSeconds)
        self.notBefores = notBefores
        self.transfers = transfers
        self.appleRegistrations = Dictionary(uniqueKeysWithValues: appleRegistrations.map { ($0.appID, $0) })
        publishesAppleKeys =
            !appleRegistrations.isEmpty
            && team.settings.appleKeys.isOn(besideAppleIssuer: services.contains { $0.issuer == .apple })
        clientsByDigest = LazyValue {
            let ids = services.map(\.identifier) + apps.map(\.identifier)
            return Dictionary(ids.map { (AccessToken.digest(of: $0), $0) }) { first, _ in first }
        }
    }

    /// The client with that digest in its own access tokens.
    func client(named digest: [UInt8]) -> Client? { clientsByDigest.value[digest].flatMap(client) }
}

// The team.
extension TeamSnapshot {
    public var id: TeamID { team.id }
    public var name: String { team.settings.name.rawValue }
    public var isSandbox: Bool { team.settings.mode == .sandbox }
    /// Whether the team is in deletion and closed to apps and users.
    public var isClosed: Bool { team.closedAt != nil }
    public var settings: TeamSettings { team.settings }
    public var registration: Registration { team.settings.registration }
    /// The ways in which the team's users can sign in.
    public var identitySources: [IdentitySource] { team.settings.identitySources }
    /// Whether a second factor is required in addition to a password.
    public var secondFactor: SecondFactor { team.settings.secondFactor }
}

extension TeamSnapshot {
    /// The client with exactly that identifier, or nil.
    public func client(_ id: ClientID) -> Client? {
        if let service = services[id], let app = apps[service.appID] {
            return Client(
                id: id, primaryAppID: app.primaryAppID, name: service.description, returnURLs: service.returnURLs,
                unprovenURLs: unprovenURLs[id] ?? [], requiresPKCE: service.requiresPKCE,
                isEnabled: app.isEnabled && apps[app.primaryAppID]?.isEnabled ?? false,
                issuesAsApple: service.issuer == .apple, writesStrings: service.booleans == .string)
        }
        guard let app = apps[id] else { return nil }
        return Client(
            id: id, primaryAppID: app.primaryAppID, name: app.description, returnURLs: [], unprovenURLs: [],
            requiresPKCE: false, isEnabled: app.isEnabled && apps[app.primaryAppID]?.isEnabled ?? false,
            issuesAsApple: app.issuer == .apple, writesStrings: false)
    }
}

// The clients, for pages that list them or link to them.
extension TeamSnapshot {
    /// All clients, both Service IDs and App IDs, in the order of their identifiers.
    public var clientIDs: [ClientID] { (Array(services.keys) + Array(apps.keys)).sorted { $0.rawValue < $1.rawValue } }

    /// Whether the identifier is a Service ID of the team.
    public func isServiceID(_ id: ClientID) -> Bool { services[id] != nil }

    /// Whether an interaction may still return to its app: the app is enabled, and its return URL is still registered.
    ///
    /// The return URL of a test sign-in is not checked, because it expires by its own time.
    public func admits(_ interaction: Interaction) -> Bool {
        guard let app = interaction.app else { return true }
        guard let client = client(app.clientID), client.isEnabled else { return false }
        return app.testSignIn != nil || client.hasReturnURL(app.redirectURI)
    }

    /// The time before which tokens issued to `client` are invalid: the later of the client's and the team's.
    public func notBefore(of client: ClientID) -> Timestamp {
        let own = notBefores[client.rawValue] ?? TokenLifetime.never
        return max(own, notBefores[NotBeforeScope.everyClient] ?? TokenLifetime.never)
    }

    /// Whether the team has an active key with this id.
    public func hasKey(_ id: KeyID) -> Bool { keys[id] != nil }
}

extension TeamSnapshot {
    /// The client whose identifier is most similar to the text: equal except for case, or within an edit distance of
    /// two; nil when there is none.
    ///
    /// Unauthenticated requests trigger the search on a loop that serves other teams; with very many clients whose
    /// identifiers are long and similar, only some of them are compared.
    func nearestClient(to text: String) -> ClientID? {
        guard text.utf8.count <= ClientID.maximumLength else { return nil }
        let sent = Spelling(text)
        var work = Spelling.mostWork
        var nearest: (distance: Int, id: ClientID)?
        for id in Array(services.keys) + Array(apps.keys) {
            guard work > 0 else { break }
            let distance = sent.distance(to: id.rawValue, &work)
            guard distance <= Spelling.nearby else { continue }
            if let known = nearest, (known.distance, known.id.rawValue) <= (distance, id.rawValue) { continue }
            nearest = (distance, id)
        }
        return nearest?.id
    }
}

/// A value that is expensive to make, made at the first access and then cached.
///
/// Two concurrent accesses may both make it, with the same result.
final class LazyValue<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        if let value = made.withLock({ $0 }) { return value }
        let value = make()
        made.withLock { $0 = value }
        return value
    }

    /// Whether the value has been made.
    var isMade: Bool { made.withLock { $0 != nil } }
}
