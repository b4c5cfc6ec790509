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
