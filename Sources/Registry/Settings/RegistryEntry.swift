import Core

/// An object in a registry file or an offer: its identifier, and the settings that are said, not yet parsed.
public struct RegistryEntry: Hashable, Sendable {
    public let identifier: String
    public let settings: Typed

    public init(_ identifier: String, _ settings: Typed) { (self.identifier, self.settings) = (identifier, settings) }

    /// The settings over those of the stored object; the description of a new one is its identifier.
    public func typed(over old: (some DeclaredSettings)?) -> Typed {
        (old?.typed ?? ["description": .string(identifier)]).merging(settings) { $1 }
    }
}

extension RegistryEntry: Codable {
    public init(from decoder: any Decoder) throws {
        var members = try Typed(from: decoder)
        identifier = members.removeValue(forKey: "identifier")?.string ?? ""
        // Names in offers that were made before each setting had one name everywhere.
        for (former, name) in ["requiresPKCE": "requirePKCE", "isEnabled": "signIn"] {
            if let value = members.removeValue(forKey: former) { members[name] = value }
        }
        settings = members
    }

    public func encode(to encoder: any Encoder) throws {
        try settings.merging(["identifier": .string(identifier)]) { $1 }.encode(to: encoder)
    }
}
