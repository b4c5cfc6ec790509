public import Core
public import Crypto
public import Platform

/// The rule that a rejected value or change breaks, with the value that breaks it.
///
/// `FieldErrors` adds the field and the message.
public enum ValidationError: Error, Hashable, Sendable {
    // Any text.
    case missing
    case tooLong(limit: Int)
    case unknownValue(String, allowed: [String])
    case outside(ClosedRange<Int>)
    case teamName
    case accentColour
    /// Not the address of a privacy policy or of terms.
    case legalURL
    /// No identity source, so that nobody could sign in.
    case noIdentitySource

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

    // Domains and email sources.
    case domainWithScheme
    case wildcard
    case emailAddress
    case sourceTaken(String)
    case selector
    /// The full name of a DKIM record instead of the selector.
    case selectorWithDomain(String)

    /// A text that is no day, such as `2026-11-29`.
    case day(String)

    // Lists.
    case duplicate(String)
    /// The input has more elements than the limit.
    case tooMany(Int)
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

// Messages about URLs, domains and email addresses.
extension ValidationError {
    private var addressPhrase: Message {
        switch self {
        case .addressCharacter("\\"): Message("console.refusals.url.backslash")
        case .addressCharacter(let scalar): Message("console.refusals.url.character", ["character": Self.name(scalar)])
        case .percentEscape: Message("console.refusals.url.percent")
        case .userInfo: Message("console.refusals.url.user")
        case .fragment: Message("console.refusals.url.fragment")
        case .port(let port): Message("console.refusals.url.port", ["port": port])
        case .ownAddress(let host): Message("console.refusals.url.own", ["host": host])
        case .outsideDomains(let host): Message("console.refusals.url.outside-domains", ["host": host])
        case .scheme(let scheme): Message("console.refusals.url.scheme", ["scheme": scheme])
        case .mixedCaseScheme(let scheme):
            Message("console.refusals.url.mixed-case-scheme", ["scheme": scheme, "lower": scheme.lowercased()])
        case .unencrypted(let host): Message("console.refusals.url.unencrypted", ["host": host])
        case .notAbsolute: Message("console.refusals.url.not-absolute")
        default: hostPhrase
        }
    }

    private var hostPhrase: Message {
        switch self {
        case .hostName(""): Message("console.refusals.host.missing")
        case .hostName(let host): Message("console.refusals.host.name", ["host": host])
        case .ipAddress(let host): Message("console.refusals.host.ip", ["host": host])
        case .day(let text): Message("console.refusals.day", ["text": text])
        case .loopbackOutsideSandbox(let host): Message("console.refusals.host.loopback", ["host": host])
        case .loopbackOverHTTPS(let host): Message("console.refusals.host.loopback-https", ["host": host])
        case .domainWithScheme: Message("console.refusals.domain.scheme")
        case .wildcard: Message("console.refusals.domain.wildcard")
        default: mailPhrase
        }
    }

    private var mailPhrase: Message {
        switch self {
        case .sourceTaken(let source): Message("console.refusals.email.taken", ["source": source])
        case .selector: Message("console.refusals.email.selector")
        case .selectorWithDomain(let selector):
            Message("console.refusals.email.selector-domain", ["selector": selector])
        default: Message("console.refusals.email.address")
        }
    }
}

// The only place that maps validation errors to messages, so that the console and `apply` show the same texts.
extension ValidationError {
    /// Message with the rule and, where it helps, what to enter instead.
    public var message: Message {
        switch self {
        case .missing: Message("console.refusals.missing")
        case .tooLong(let limit): Message("console.refusals.too-long", count: limit)
        case .unknownValue(let value, let allowed):
            Message("console.refusals.unknown-value", ["value": value, "known": allowed])
        case .outside(let range):
            Message("console.refusals.outside", ["least": range.lowerBound, "most": range.upperBound])
        case .teamName: Message("console.settings.name.wrong", ["most": TeamName.maximumLength])
        case .accentColour: Message("console.settings.accentColour.wrong")
        case .legalURL: Message("console.settings.url.wrong")
        case .noIdentitySource: Message("console.settings.identitySources.none")
        case .duplicate(let value): Message("console.refusals.duplicate", ["value": value])
        case .tooMany(let limit): Message("console.refusals.too-many", count: limit)
        case .limitReached(let limit, let parent): Self.message(limit, parent)
        default: identifierPhrase
        }
    }

    private var identifierPhrase: Message {
        switch self {
        case .identifierCharacter("_"): Message("console.refusals.identifier.underscore")
        case .identifierCharacter("*"): Message("console.refusals.identifier.wildcard")
        case .identifierCharacter(let scalar):
            Message("console.refusals.identifier.character", ["character": Self.name(scalar)])
        case .bundleIDAsServiceID(let bundle):
            Message("console.refusals.identifier.bundle-id", ["bundle": bundle.rawValue])
        case .servicesIDTaken(let identifier, let appID):
            Message(
                "console.refusals.identifier.services-id-taken",
                ["identifier": identifier.rawValue, "app": appID.rawValue])
        case .servicesIDAsBundleID(let identifier):
            Message("console.refusals.identifier.services-id", ["identifier": identifier.rawValue])
        case .teamPrefix(let identifier): Message("console.refusals.identifier.team-prefix", ["identifier": identifier])
        case .identifierTaken(let identifier, .app):
            Message("console.refusals.identifier.app-id-taken", ["identifier": identifier.rawValue])
        case .identifierTaken(let identifier, .service):
            Message("console.refusals.identifier.service-id-taken", ["identifier": identifier.rawValue])
        case .identifierEnding(let identifier):
            Message("console.refusals.identifier.ending", ["identifier": identifier.rawValue])
        case .identifierShape: Message("console.refusals.identifier.shape")
        default: keyPhrase
        }
    }

    private var keyPhrase: Message {
        switch self {
        case .appleTeamIDShape: Message("console.refusals.key.apple-team")
        case .keyIDTaken(let key): Message("console.refusals.key.taken", ["key": key.rawValue])
        case .notPublicKey: Message("console.refusals.key.not-public")
        case .privateKeyGiven: Message("console.refusals.key.private")
        case .notApplePrivateKey(let failure): failure.message
        case .unknownAppleKey(let key): Message("console.refusals.key.unknown-apple", ["key": key.rawValue])
        case .appleKeyOfOtherApp(let key, let appID):
            Message("console.refusals.key.other-app", ["key": key.rawValue, "app": appID.rawValue])
        case .keyOfConnection(let appID): Message("console.refusals.key.connected", ["app": appID.rawValue])
        case .connectedAlready(let appID): Message("console.refusals.key.connected-already", ["app": appID.rawValue])
        case .keyIDShape: Message("console.refusals.key.id")
        default: appIDPhrase
        }
    }

    private var appIDPhrase: Message {
        switch self {
        case .unknownAppID(let identifier):
            Message("console.refusals.app-id.unknown", ["identifier": identifier.rawValue])
        case .belongsToAppID(let identifier):
            Message("console.refusals.app-id.belongs", ["identifier": identifier.rawValue])
        case .groupedAppID(let identifier, let primary):
            Message(
                "console.refusals.app-id.grouped", ["identifier": identifier.rawValue, "primary": primary.rawValue])
        case .primaryOfOthers(let members):
            Message("console.refusals.app-id.primary", ["members": members.map(\.rawValue)])
        case .holdsActiveKeys(let keys): Message("console.refusals.app-id.keys", ["keys": keys.map(\.rawValue)])
        case .groupedUnderItself: Message("console.refusals.app-id.itself")
        default: addressPhrase
        }
    }

    private static func message(_ limit: Quota, _ parent: String) -> Message {
        let count = limit.count
        return switch limit {
        case .appIDs: Message("console.refusals.full.app-ids", ["limit": count])
        case .teamDomains: Message("console.refusals.full.team-domains", ["limit": count])
        case .teamReturnURLs: Message("console.refusals.full.team-return-urls", ["limit": count])
        case .serviceIDs: Message("console.refusals.full.service-ids", ["parent": parent, "limit": count])
        case .activeKeys: Message("console.refusals.full.keys", ["parent": parent, "limit": count])
        case .emailSources: Message("console.refusals.full.email-sources", ["limit": count])
        case .appleKeys: Message("console.refusals.full.apple-keys", ["parent": parent, "limit": count])
        default: Message("console.refusals.too-many", count: count)
        }
    }

    /// The character as a page names it: in quotes, or by its number.
    public static func name(_ scalar: Unicode.Scalar) -> LocalizedText {
        switch scalar {
        case " ": return Message("console.refusals.space").localizedText
        case "!"..."~": return Message("console.refusals.quoted", ["character": String(scalar)]).localizedText
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return .verbatim("U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits)
        }
    }
}
