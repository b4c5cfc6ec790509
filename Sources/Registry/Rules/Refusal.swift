public import Crypto
public import Domain

/// Why a value or a change is refused: the rule that stands against it, and what broke it.
///
/// `Problem` tells it in words.
public enum Refusal: Error, Hashable, Sendable {
    // Any text.
    case missing
    case tooLong(limit: Int)
    case unprintable(Unicode.Scalar)
    case unknownValue(String, allowed: [String])

    // Identifiers.
    case identifierCharacter(Unicode.Scalar)
    case identifierShape
    case identifierTaken(ClientID, by: ClientKind)
    /// The tokens of an earlier client of that name are not gone yet.
    case identifierEnding(ClientID)
    /// A Service ID with the name of a bundle ID.
    case bundleIDAsServiceID(ClientID)
    /// The identifier begins with a Team ID, as in an entitlement.
    case teamPrefix(without: String)

    // Addresses.
    case notAbsolute
    case scheme(String)
    case mixedCaseScheme(String)
    case addressCharacter(Unicode.Scalar)
    case percentEscape
    case userInfo
    case fragment
    case port(String)
    case hostName(String)
    case ipAddress(String)
    case unencrypted(host: String)
    case loopbackOutsideSandbox(host: String)
    case loopbackOverHTTPS(host: String)
    case outsideDomains(host: String)
    /// Pippin's own address.
    case ownAddress(host: String)

    // Domains and e-mail sources.
    case domainWithScheme
    case wildcard
    case emailAddress
    case sourceTaken(String)
    case selector
    /// The whole name of a DKIM record where its selector belongs.
    case selectorWithDomain(String)

    // Lists.
    case duplicate(String)
    /// More are given than the limit.
    case tooMany(Limit)
    /// As many exist already as the limit.
    case limitReached(Limit, of: String)

    // Keys.
    case keyIDShape
    case keyIDTaken(KeyID)
    case appleTeamIDShape
    case notPublicKey
    case privateKeyGiven
    /// The text is no private key that can sign for Apple, and why.
    case notApplePrivateKey(KeyFailure)
    case unknownAppleKey(KeyID)
    /// A connection signs with keys of its own App ID.
    case appleKeyOfOtherApp(KeyID, of: ClientID)
    /// The App ID has a connection to Apple already.
    case connectedAlready(ClientID)
    /// Another App ID of the team is connected under that Services ID.
    case servicesIDTaken(ClientID, by: ClientID)
    /// A bundle ID with the name of a Services ID that the team is connected to Apple under.
    case servicesIDAsBundleID(ClientID)
    /// The key signs for a connection to Apple.
    case keyOfConnection(ClientID)

    // App IDs and what hangs on them.
    case unknownAppID(ClientID)
    case belongsToAppID(ClientID)
    case groupedAppID(ClientID, under: ClientID)
    case groupedUnderItself
    case primaryOfOthers([ClientID])
    case holdsActiveKeys([KeyID])
}

/// What shares the space of identifiers of a team.
public enum ClientKind: String, Hashable, Sendable {
    case app
    case service
}

/// How many of a thing its parent may have: product rules, held by the slots of the tables, and those of a team by its
/// row, which is locked while they are counted.
public enum Limit: Hashable, Sendable {
    /// Of a team. Each loop keeps the whole registry of the teams it serves; companies with the most apps have a few
    /// hundred, and a company may have several teams.
    case appIDs
    /// Named by the Service IDs of a team together, a domain as often as it is named.
    case teamDomains
    /// Of the Service IDs of a team together.
    case teamReturnURLs
    case serviceIDs
    case returnURLs
    case domains
    case activeKeys
    case emailSources
    case selectors
    case appleKeys

    public var count: Int {
        switch self {
        case .appIDs: 500
        case .teamDomains: 2000
        case .teamReturnURLs: 5000
        case .serviceIDs: 5
        case .returnURLs: 10
        case .domains: 100
        case .activeKeys: 2
        case .emailSources: 100
        case .selectors: 5
        case .appleKeys: 2
        }
    }
}
