public import Core
import Platform

// The only place that maps validation errors to messages, so that the console and `apply` show the same texts.
extension ValidationError {
    /// Message with the rule and, where it helps, what to enter instead.
    public var message: Message {
        switch self {
        case .missing: Message("console.refusals.missing")
        case .tooLong(let limit): Message("console.refusals.too-long", count: limit)
        case .unprintable(let scalar): Message("console.refusals.unprintable", ["character": Self.name(scalar)])
        case .unknownValue(let value, let allowed):
            Message("console.refusals.unknown-value", ["value": value, "known": allowed])
        case .duplicate(let value): Message("console.refusals.duplicate", ["value": value])
        case .tooMany(let limit): Message("console.refusals.too-many", count: limit.count)
        case .limitReached(let limit, let parent): Self.message(limit, parent)
        case .identifierCharacter, .identifierShape, .bundleIDAsServiceID, .teamPrefix, .identifierTaken,
            .identifierEnding, .servicesIDTaken, .servicesIDAsBundleID:
            identifierPhrase
        case .keyIDShape, .appleTeamIDShape, .keyIDTaken, .notPublicKey, .privateKeyGiven, .notApplePrivateKey,
            .unknownAppleKey, .appleKeyOfOtherApp, .keyOfConnection, .connectedAlready:
            keyPhrase
        case .unknownAppID, .belongsToAppID, .groupedAppID, .groupedUnderItself, .primaryOfOthers, .holdsActiveKeys:
            appIDPhrase
        default: addressPhrase
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
        default: Message("console.refusals.identifier.shape")
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
        default: Message("console.refusals.key.id")
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
        default: Message("console.refusals.app-id.itself")
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

    static func name(_ scalar: Unicode.Scalar) -> LocalizedText {
        switch scalar {
        case " ": return Message("console.refusals.space").localizedText
        case "!"..."~": return Message("console.refusals.quoted", ["character": String(scalar)]).localizedText
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return .verbatim("U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits)
        }
    }
}
