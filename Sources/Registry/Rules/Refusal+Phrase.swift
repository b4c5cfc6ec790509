public import Bytes
import Domain

// The one place where a refusal becomes a phrase, so that the console and `apply` say the same.
extension Refusal {
    /// The rule, and where it helps, what to write instead.
    public var phrase: Phrase {
        switch self {
        case .missing: Phrase("console.refusals.missing")
        case .tooLong(let limit): Phrase("console.refusals.too-long", count: limit)
        case .unprintable(let scalar):
            Phrase("console.refusals.unprintable", ["character": Self.name(scalar)])
        case .unknownValue(let value, let allowed):
            Phrase("console.refusals.unknown-value", ["value": value, "known": allowed])
        case .duplicate(let value): Phrase("console.refusals.duplicate", ["value": value])
        case .tooMany(let limit): Phrase("console.refusals.too-many", count: limit.count)
        case .limitReached(let limit, let parent): Self.phrase(limit, parent)
        case .identifierCharacter, .identifierShape, .bundleIDAsServiceID, .teamPrefix, .identifierTaken,
            .identifierEnding, .servicesIDTaken, .servicesIDAsBundleID:
            identifierPhrase
        case .keyIDShape, .appleTeamIDShape, .keyIDTaken, .notPublicKey, .privateKeyGiven,
            .notApplePrivateKey, .unknownAppleKey, .appleKeyOfOtherApp, .keyOfConnection,
            .connectedAlready:
            keyPhrase
        case .unknownAppID, .belongsToAppID, .groupedAppID, .groupedUnderItself, .primaryOfOthers,
            .holdsActiveKeys:
            appIDPhrase
        default: addressPhrase
        }
    }

    private var identifierPhrase: Phrase {
        switch self {
        case .identifierCharacter("_"): Phrase("console.refusals.identifier.underscore")
        case .identifierCharacter("*"): Phrase("console.refusals.identifier.wildcard")
        case .identifierCharacter(let scalar):
            Phrase("console.refusals.identifier.character", ["character": Self.name(scalar)])
        case .bundleIDAsServiceID(let bundle):
            Phrase("console.refusals.identifier.bundle-id", ["bundle": bundle.rawValue])
        case .servicesIDTaken(let identifier, let appID):
            Phrase(
                "console.refusals.identifier.services-id-taken",
                ["identifier": identifier.rawValue, "app": appID.rawValue]
            )
        case .servicesIDAsBundleID(let identifier):
            Phrase("console.refusals.identifier.services-id", ["identifier": identifier.rawValue])
        case .teamPrefix(let identifier):
            Phrase("console.refusals.identifier.team-prefix", ["identifier": identifier])
        case .identifierTaken(let identifier, .app):
            Phrase("console.refusals.identifier.app-id-taken", ["identifier": identifier.rawValue])
        case .identifierTaken(let identifier, .service):
            Phrase("console.refusals.identifier.service-id-taken", ["identifier": identifier.rawValue])
        case .identifierEnding(let identifier):
            Phrase("console.refusals.identifier.ending", ["identifier": identifier.rawValue])
        default: Phrase("console.refusals.identifier.shape")
        }
    }

    private var keyPhrase: Phrase {
        switch self {
        case .appleTeamIDShape: Phrase("console.refusals.key.apple-team")
        case .keyIDTaken(let key): Phrase("console.refusals.key.taken", ["key": key.rawValue])
        case .notPublicKey: Phrase("console.refusals.key.not-public")
        case .privateKeyGiven: Phrase("console.refusals.key.private")
        case .notApplePrivateKey(let failure): failure.phrase
        case .unknownAppleKey(let key): Phrase("console.refusals.key.unknown-apple", ["key": key.rawValue])
        case .appleKeyOfOtherApp(let key, let appID):
            Phrase("console.refusals.key.other-app", ["key": key.rawValue, "app": appID.rawValue])
        case .keyOfConnection(let appID):
            Phrase("console.refusals.key.connected", ["app": appID.rawValue])
        case .connectedAlready(let appID):
            Phrase("console.refusals.key.connected-already", ["app": appID.rawValue])
        default: Phrase("console.refusals.key.id")
        }
    }

    private var appIDPhrase: Phrase {
        switch self {
        case .unknownAppID(let identifier):
            Phrase("console.refusals.app-id.unknown", ["identifier": identifier.rawValue])
        case .belongsToAppID(let identifier):
            Phrase("console.refusals.app-id.belongs", ["identifier": identifier.rawValue])
        case .groupedAppID(let identifier, let primary):
            Phrase(
                "console.refusals.app-id.grouped",
                ["identifier": identifier.rawValue, "primary": primary.rawValue]
            )
        case .primaryOfOthers(let members):
            Phrase("console.refusals.app-id.primary", ["members": members.map(\.rawValue)])
        case .holdsActiveKeys(let keys):
            Phrase("console.refusals.app-id.keys", ["keys": keys.map(\.rawValue)])
        default: Phrase("console.refusals.app-id.itself")
        }
    }

    private static func phrase(_ limit: Limit, _ parent: String) -> Phrase {
        let count = limit.count
        return switch limit {
        case .appIDs: Phrase("console.refusals.full.app-ids", ["limit": count])
        case .teamDomains: Phrase("console.refusals.full.team-domains", ["limit": count])
        case .teamReturnURLs: Phrase("console.refusals.full.team-return-urls", ["limit": count])
        case .serviceIDs: Phrase("console.refusals.full.service-ids", ["parent": parent, "limit": count])
        case .returnURLs: Phrase("console.refusals.full.return-urls", ["parent": parent, "limit": count])
        case .domains: Phrase("console.refusals.full.domains", ["parent": parent, "limit": count])
        case .activeKeys: Phrase("console.refusals.full.keys", ["parent": parent, "limit": count])
        case .emailSources: Phrase("console.refusals.full.email-sources", ["limit": count])
        case .selectors: Phrase("console.refusals.full.selectors", ["parent": parent, "limit": count])
        case .appleKeys: Phrase("console.refusals.full.apple-keys", ["parent": parent, "limit": count])
        }
    }

    static func name(_ scalar: Unicode.Scalar) -> Words {
        switch scalar {
        case " ": return Phrase("console.refusals.space").asWords
        case "!"..."~": return Phrase("console.refusals.quoted", ["character": String(scalar)]).asWords
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return .verbatim("U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits)
        }
    }
}
