import Core
import Directory

/// Name and address of Apple's `user`, as far as they are readable.
public struct UpstreamForm: Sendable {
    private static let maxDepth = 8

    public let givenName: String
    public let familyName: String
    public let email: String?
    public let source: Source

    /// Source of the data.
    public enum Source: Sendable {
        /// The provider, by way of the browser: a name from it always replaces the stored one.
        case provider
        /// An app, at any time: a name that was delivered to apps is kept.
        case app
    }

    /// - Parameter middleName: Apple's names have three parts and its protocol two, so it stands with the given name.
    public init(givenName: String, middleName: String = "", familyName: String, email: String?, from source: Source) {
        self.givenName = [givenName, middleName].map(PersonName.told).filter { !$0.isEmpty }.joined(separator: " ")
        self.familyName = PersonName.told(familyName)
        self.email = email.map(PersonName.told).flatMap { $0.isEmpty ? nil : $0 }
        self.source = source
    }

    /// Parses Apple's `user`, with its text repaired; nil for a text that is not a JSON object.
    public init?(_ text: String) {
        guard let value = try? JSON.object(repairing: Array(text.utf8), maxDepth: Self.maxDepth) else { return nil }
        let name = value["name"]
        self.init(
            givenName: name?["firstName"]?.string ?? "", middleName: name?["middleName"]?.string ?? "",
            familyName: name?["lastName"]?.string ?? "", email: value["email"]?.string, from: .provider)
    }

    /// Text as stored in the vault: cut to fit its column, without U+0000, otherwise unchanged.
    static func kept(_ text: String?) -> String? {
        text.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { $0.value != 0 }.prefix(200))) }
    }
}
