import Domain

// The one place where a refusal becomes words, so that the console and `apply` say the same.
extension Refusal {
    /// The rule in a sentence, and where it helps, what to write instead.
    public var sentence: String {
        switch self {
        case .missing:
            "This is required."
        case .tooLong(let limit):
            "This is too long: at most \(limit) characters."
        case .unprintable(let scalar):
            "Control characters and marks that turn the direction of text are not allowed; "
                + "\(Self.name(scalar)) was found."
        case .unknownValue(let value, let allowed):
            "\"\(value)\" is not a choice here; it may be \(allowed.joined(separator: " or "))."
        case .duplicate(let value):
            "\(value) is given twice."
        case .tooMany(let limit):
            "There are too many: at most \(limit.count)."
        case .limitReached(let limit, let parent):
            Self.sentence(limit, parent)
        default:
            identifierSentence ?? addressSentence ?? keySentence ?? appIDSentence ?? "This is not allowed."
        }
    }

    private var identifierSentence: String? {
        switch self {
        case .identifierCharacter("_"):
            "An identifier has no underscores; write a hyphen, as Xcode does."
        case .identifierCharacter("*"):
            "A wildcard names no single app; give the whole identifier."
        case .identifierCharacter(let scalar):
            "An identifier has letters A to Z, digits, hyphens and dots only; \(Self.name(scalar)) was found."
        case .identifierShape:
            "An identifier is in reverse-DNS form, such as com.example.app: at least two parts joined by dots, "
                + "none of them empty."
        case .bundleIDAsServiceID(let bundle):
            "\(bundle) is the bundle ID of an App ID, and a Service ID never has that name, as at Apple: the app itself "
                + "signs in with its bundle ID, web sites and Android with a name of their own, such as \(bundle).web."
        case .teamPrefix(let identifier):
            "This begins with a Team ID; the identifier is what follows: \(identifier)."
        case .identifierTaken(let identifier, let kind):
            "\(identifier) already names \(kind == .app ? "an App ID" : "a Service ID") of this team. App IDs and "
                + "Service IDs share one space of names, in which upper and lower case count as the same."
        default: nil
        }
    }

    private var keySentence: String? {
        switch self {
        case .keyIDShape: "A Key ID is 10 characters, A to Z and 0 to 9."
        case .appleTeamIDShape:
            "An Apple Team ID is 10 characters, A to Z and 0 to 9, as Apple's membership page shows it."
        case .keyIDTaken(let key):
            "\(key) is the Key ID of another key of this team; Key IDs are not used twice."
        case .notPublicKey:
            "This is not the public half of an EC P-256 key in PEM (-----BEGIN PUBLIC KEY-----)."
        case .privateKeyGiven:
            "This is a private key. Only the public half belongs here; whoever has seen this text can sign as you."
        case .notApplePrivateKey(let failure): failure.sentence
        default: nil
        }
    }

    private var appIDSentence: String? {
        switch self {
        case .unknownAppID(let identifier): "This team has no App ID \(identifier)."
        case .belongsToAppID(let identifier):
            "It belongs to the App ID \(identifier); a Service ID or key stays with the App ID it was made for."
        case .groupedAppID(let identifier, let primary):
            "\(identifier) is grouped under \(primary); only a primary App ID can be chosen here."
        case .groupedUnderItself: "An App ID cannot be grouped under itself."
        case .primaryOfOthers(let members):
            "This App ID is the primary of \(Self.list(members.map(\.rawValue))); it can be grouped once they are not."
        case .holdsActiveKeys(let keys):
            "This App ID holds the active keys \(Self.list(keys.map(\.rawValue))); only a primary App ID has keys, "
                + "so revoke them before grouping it."
        default: nil
        }
    }

    private static func sentence(_ limit: Limit, _ parent: String) -> String {
        switch limit {
        case .serviceIDs: "\(parent) has \(limit.count) Service IDs already, the most an App ID may have."
        case .returnURLs:
            "\(parent) has \(limit.count) return URLs already, the most a Service ID may have."
        case .domains: "\(parent) has \(limit.count) domains already, the most a Service ID may have."
        case .activeKeys:
            "\(parent) has \(limit.count) active keys already, the most an App ID may have. Revoke one first."
        case .emailSources: "A team may have at most \(limit.count) e-mail sources."
        case .selectors:
            "\(parent) has \(limit.count) DKIM selectors already, the most an e-mail source may have."
        case .appleKeys:
            "\(parent) has \(limit.count) keys from Apple already, the most an App ID may have. Remove one first."
        }
    }

    static func name(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case " ": "a space"
        case "!"..."~": "\"\(scalar)\""
        default: "U+" + String(repeating: "0", count: max(0, 4 - hex(scalar).utf8.count)) + hex(scalar)
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        String(scalar.value, radix: 16, uppercase: true)
    }

    static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
