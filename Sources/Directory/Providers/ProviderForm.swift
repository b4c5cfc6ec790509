import Bytes

/// The name and the address of Apple's `user`, as far as they can be read.
public struct ProviderForm: Sendable {
    private static let maxDepth = 8

    public let givenName: String
    public let familyName: String
    public let email: String?
    public let source: Source

    /// Who says so.
    public enum Source: Sendable {
        /// The provider, by way of the browser on its trip: whenever it says a name, it is the one that counts.
        case provider
        /// An app, which may say it at any time: a name that apps have had already stays.
        case app
    }

    public init(givenName: String, familyName: String, email: String?, from source: Source) {
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.source = source
    }

    /// Nil for a text that is no JSON object.
    public init?(_ text: String) {
        guard let value = try? JSON.object(Array(text.utf8), maxDepth: Self.maxDepth) else { return nil }
        givenName = value["name"]?["firstName"]?.string ?? ""
        familyName = value["name"]?["lastName"]?.string ?? ""
        email = value["email"]?.string
        source = .provider
    }

    /// As much of the vault as fits its columns; what the form said stays what it said.
    static func kept(_ text: String?) -> String? {
        text.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { $0.value != 0 }.prefix(200))) }
    }
}
