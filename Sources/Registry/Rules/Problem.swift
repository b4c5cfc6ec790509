public import Bytes

/// What is wrong with one field, in words for a person.
public struct Problem: Error, Hashable, Sendable {
    /// The member of the form or of the registry file, such as `returnURLs[2]`; empty when it is none in particular.
    public let field: String
    public let message: Words

    public init(field: String, message: any Wording) {
        self.field = field
        self.message = message.asWords
    }

    public init(_ field: String, _ refusal: Refusal) {
        self.init(field: field, message: refusal.phrase)
    }

    /// The problem with the field that such a refusal concerns.
    public init(_ refusal: Refusal) {
        self.init(refusal.field, refusal)
    }

    /// The same problem as it is called from further out: `identifier` under `appIDs[0]` is `appIDs[0].identifier`.
    public func under(_ path: String) -> Problem {
        if path.isEmpty { return self }
        return Problem(field: field.isEmpty ? path : "\(path).\(field)", message: message)
    }
}

/// Everything that is wrong with an input, never only the first.
public struct Problems: Error, Hashable, Sendable {
    public let all: [Problem]

    public init(_ all: [Problem]) {
        self.all = all
    }
}

extension Refusal {
    /// The field that a refusal by a store concerns.
    var field: String {
        switch self {
        case .identifierTaken, .identifierEnding, .bundleIDAsServiceID, .servicesIDAsBundleID: "identifier"
        case .servicesIDTaken: "servicesID"
        case .unknownAppID, .belongsToAppID, .connectedAlready: "appID"
        case .groupedAppID: "appID"
        case .groupedUnderItself, .primaryOfOthers, .holdsActiveKeys: "primary"
        case .keyIDShape, .keyIDTaken: "id"
        case .unknownAppleKey, .appleKeyOfOtherApp, .keyOfConnection: "keyID"
        case .notPublicKey, .privateKeyGiven: "publicKeyPEM"
        case .outsideDomains: "returnURLs"
        case .notApplePrivateKey: "privateKey"
        case .sourceTaken: "source"
        case .limitReached(let limit, _):
            switch limit {
            case .serviceIDs, .activeKeys, .appleKeys: "appID"
            case .appIDs: "identifier"
            case .returnURLs, .teamReturnURLs: "returnURLs"
            case .domains, .teamDomains: "domains"
            case .emailSources: "source"
            case .selectors: "selectors"
            }
        default: ""
        }
    }
}

/// Parses the fields of an input one by one and keeps what is wrong with each.
struct FieldChecks {
    private(set) var problems: [Problem] = []

    /// The parsed value, or nil after noting why there is none.
    mutating func check<Value>(_ field: String, _ parse: () throws(Refusal) -> Value) -> Value? {
        do {
            return try parse()
        } catch {
            problems.append(Problem(field, error))
            return nil
        }
    }

    /// Parses each element; those equal to an earlier one are problems too.
    ///
    /// Beyond the limit nothing is parsed: that there are too many is said once, and costs no more than the limit.
    mutating func checkEach<Value: Hashable>(
        _ field: String,
        of texts: [String],
        atMost limit: Limit,
        _ parse: (String) throws(Refusal) -> Value
    ) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        if texts.count > limit.count { note(field, .tooMany(limit)) }
        for (index, text) in texts.prefix(limit.count).enumerated() {
            let value = check("\(field)[\(index)]") { () throws(Refusal) -> Value in
                let value = try parse(text)
                guard seen.insert(value).inserted else { throw .duplicate(text) }
                return value
            }
            if let value { values.append(value) }
        }
        return values
    }

    mutating func note(_ field: String, _ refusal: Refusal) {
        problems.append(Problem(field, refusal))
    }
}
