public import Core
import Platform

/// An error of one field, with a message for the user.
public struct FieldError: Error, Hashable, Sendable {
    /// The member of the form or of the registry file, such as `returnURLs[2]`; empty when it concerns none of them.
    public let field: String
    public let message: LocalizedText

    public init(field: String, message: any LocalizedTextConvertible) {
        self.field = field
        self.message = message.localizedText
    }

    public init(_ field: String, _ refusal: ValidationError) { self.init(field: field, message: refusal.message) }

    /// The error at the field that `refusal` concerns.
    public init(_ refusal: ValidationError) { self.init(refusal.field, refusal) }

    /// The error with a longer path: `identifier` under `appIDs[0]` is `appIDs[0].identifier`.
    public func under(_ path: String) -> FieldError {
        if path.isEmpty { return self }
        return FieldError(field: field.isEmpty ? path : "\(path).\(field)", message: message)
    }
}

/// All errors of an input, not only the first.
public struct InvalidFields: Error, Hashable, Sendable {
    public let all: [FieldError]

    public init(_ all: [FieldError]) { self.all = all }
}

extension ValidationError {
    /// The field that an error thrown by a store concerns; empty for none.
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
            case .teamReturnURLs: "returnURLs"
            case .teamDomains: "domains"
            case .emailSources: "source"
            default: ""
            }
        default: ""
        }
    }
}

/// Parses the fields of an input one by one and collects their errors.
struct FieldChecks {
    private(set) var problems: [FieldError] = []

    /// The parsed value, or nil after collecting the error.
    mutating func check<Value>(_ field: String, _ parse: () throws(ValidationError) -> Value) -> Value? {
        do { return try parse() } catch {
            problems.append(FieldError(field, error))
            return nil
        }
    }

    /// Parses each element; an element equal to an earlier one is an error too.
    ///
    /// Elements beyond the limit are not parsed, so that too many are one error and cost no more than the limit.
    mutating func checkEach<Value: Hashable>(
        _ field: String, of texts: [String], atMost limit: Quota, _ parse: (String) throws(ValidationError) -> Value
    ) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        if texts.count > limit.count { note(field, .tooMany(limit)) }
        for (index, text) in texts.prefix(limit.count).enumerated() {
            let value = check("\(field)[\(index)]") { () throws(ValidationError) -> Value in
                let value = try parse(text)
                guard seen.insert(value).inserted else { throw .duplicate(text) }
                return value
            }
            if let value { values.append(value) }
        }
        return values
    }

    mutating func note(_ field: String, _ refusal: ValidationError) { problems.append(FieldError(field, refusal)) }
}
