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

/// An identifier as lowercase letters, for comparison by edit distance.
struct Spelling {
    /// Largest edit distance at which a typing error is assumed.
    static let nearby = 2
    /// Most letters compared in one search: those of two hundred clients with the longest identifiers.
    static let mostWork = 200 * ClientID.maximumLength

    private let letters: [UInt8]

    init(_ text: String) { letters = text.utf8.map(Self.letter) }

    /// The edit distance: letters inserted, deleted or replaced; 3 stands for more than two.
    ///
    /// - Parameter work: reduced by the number of letters compared; the comparison stops once the distance exceeds two.
    func distance(to text: String, _ work: inout Int) -> Int {
        let other = text.utf8
        guard (letters.count - other.count).magnitude <= Self.nearby else { return Self.nearby + 1 }
        return distance(to: other.map(Self.letter), &work)
    }

    /// The table of the Wagner–Fischer algorithm, limited to the five columns around the diagonal, the only ones within
    /// a distance of two.
    private func distance(to other: [UInt8], _ work: inout Int) -> Int {
        let far = Self.nearby + 1
        // Index `offset` of row `index` is column `index + offset - 2`.
        var row: InlineArray<5, Int> = [far, far, 0, 1, 2]
        for (index, letter) in letters.enumerated() {
            work -= 1
            var next = InlineArray<5, Int>(repeating: far)
            var best = far
            for offset in 0..<5 {
                let column = index + 1 + offset - 2
                guard column >= 0, column <= other.count else { continue }
                var cost = far
                if column > 0 { cost = min(cost, row[offset] + (letter == other[column - 1] ? 0 : 1)) }
                if offset < 4 { cost = min(cost, row[offset + 1] + 1) }
                if offset > 0 { cost = min(cost, next[offset - 1] + 1) }
                next[offset] = cost
                best = min(best, cost)
            }
            guard best < far else { return far }
            row = next
        }
        return row[other.count - letters.count + 2]
    }

    /// Lowercases an ASCII letter; every other octet is unchanged.
    private static func letter(_ octet: UInt8) -> UInt8 { octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet }
}
