public import Core
import Platform

extension FieldErrors {
    /// The error at the field that `refusal` concerns.
    public init(_ refusal: ValidationError) { self.init(refusal.path, refusal.message) }

    public mutating func add(_ path: FieldPath, _ refusal: ValidationError) { add(path, refusal.message) }

    /// The parsed value, or nil after its error is added.
    public mutating func check<Value>(_ path: FieldPath, _ parse: @autoclosure () throws(ValidationError) -> Value)
        -> Value?
    {
        do { return try parse() } catch {
            add(path, error)
            return nil
        }
    }

    /// Parses each element; an element equal to an earlier one is an error too.
    ///
    /// Elements beyond the limit are not parsed, so that too many are one error and cost no more than the limit.
    mutating func checkEach<Value: Hashable>(
        _ path: FieldPath, of texts: [String], atMost limit: Int, _ parse: (String) throws(ValidationError) -> Value
    ) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        if texts.count > limit { add(path, .tooMany(limit)) }
        for (index, text) in texts.prefix(limit).enumerated() {
            guard let value = check(path[index], try parse(text)) else { continue }
            if seen.insert(value).inserted { values.append(value) } else { add(path[index], .duplicate(text)) }
        }
        return values
    }
}

extension ValidationError {
    /// The field that an error thrown by a store concerns.
    fileprivate var path: FieldPath {
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
            case .teamReturnURLs: "returnURLs"
            case .teamDomains: "domains"
            case .emailSources: "source"
            default: .whole
            }
        default: .whole
        }
    }
}
