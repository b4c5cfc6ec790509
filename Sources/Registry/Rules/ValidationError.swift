public import Crypto
public import Platform

/// The rule that a rejected value or change breaks, with the value that breaks it.
///
/// `FieldError` adds the field and the message.
public enum ValidationError: Error, Hashable, Sendable {
    // Any text.
    case missing
    case tooLong(limit: Int)
    case unprintable(Unicode.Scalar)
    case unknownValue(String, allowed: [String])

    // Identifiers.
    case identifierCharacter(Unicode.Scalar)
    case identifierShape
    case identifierTaken(ClientID, by: ClientKind)
    /// Tokens of a deleted client with this identifier are not all deleted yet.
    case identifierEnding(ClientID)
    /// A Service ID with the name of a bundle ID.
    case bundleIDAsServiceID(ClientID)
    /// The identifier begins with an Apple Team ID, as in an entitlement.
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
    /// The URL is on Pippin's own address.
    case ownAddress(host: String)

    // Domains and e-mail sources.
    case domainWithScheme
    case wildcard
    case emailAddress
    case sourceTaken(String)
    case selector
    /// The full name of a DKIM record instead of the selector.
    case selectorWithDomain(String)

    // Lists.
    case duplicate(String)
    /// The input has more elements than the limit.
    case tooMany(Quota)
    /// The parent already has as many as the limit allows.
    case limitReached(Quota, of: String)

    // Keys.
    case keyIDShape
    case keyIDTaken(KeyID)
    case appleTeamIDShape
    case notPublicKey
    case privateKeyGiven
    /// The text is not a private key for Apple; the failure is the reason.
    case notApplePrivateKey(KeyFailure)
    case unknownAppleKey(KeyID)
    /// The key belongs to another App ID than the connection.
    case appleKeyOfOtherApp(KeyID, of: ClientID)
    /// The App ID already has a connection to Apple.
    case connectedAlready(ClientID)
    /// Another App ID of the team has a connection with that Services ID.
    case servicesIDTaken(ClientID, by: ClientID)
    /// A bundle ID with the Services ID of a connection to Apple.
    case servicesIDAsBundleID(ClientID)
    /// A connection to Apple uses the key.
    case keyOfConnection(ClientID)

    // App IDs and what depends on them.
    case unknownAppID(ClientID)
    case belongsToAppID(ClientID)
    case groupedAppID(ClientID, under: ClientID)
    case groupedUnderItself
    case primaryOfOthers([ClientID])
    case holdsActiveKeys([KeyID])
}

/// Kind of a client; both kinds share the identifiers of a team.
public enum ClientKind: String, Hashable, Sendable {
    case app
    case service
}
