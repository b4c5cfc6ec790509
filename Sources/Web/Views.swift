public import Bytes
public import Templates

/// Addresses of the public files, as they are served now.
public struct AssetLinks: Sendable {
    public let css: String
    public let js: SafeURL
    public let exit: SafeURL
    public let factors: SafeURL
    public let logo: String
    public let icons: String

    public init(css: String, js: SafeURL, exit: SafeURL, factors: SafeURL, logo: String, icons: String) {
        self.css = css
        self.js = js
        self.exit = exit
        self.factors = factors
        self.logo = logo
        self.icons = icons
    }

    public static let fields = Fields<AssetLinks>()
        .text("css") { $0.css }
        .url("js") { $0.js }
        .url("exit") { $0.exit }
        .url("factors") { $0.factors }
        .text("logo") { $0.logo }
        .text("icons") { $0.icons }
}

/// A person as pages name them.
public struct PersonView: Sendable {
    public let name: String
    public let email: String

    /// - Parameter name: falls back to the address for a person who gave none.
    public init(name: String, email: String?) {
        self.email = email ?? ""
        self.name = name.isEmpty ? self.email : name
    }

    public var initial: String { Initial.of(name) }

    public static let fields = Fields<PersonView>()
        .text("name") { $0.name }
        .text("email") { $0.email }
        .text("initial") { $0.initial }
}

/// The letter on a tile.
public enum Initial {
    public static func of(_ name: String) -> String {
        name.first.map { $0.uppercased() } ?? "?"
    }
}

/// A value with a copy button.
public struct CopyView: Sendable {
    public let label: Words
    public let value: String

    public init(_ label: any Wording, _ value: String) {
        self.label = label.asWords
        self.value = value
    }

    public static let fields = Fields<CopyView>()
        .words("label") { $0.label }
        .text("value") { $0.value }
}

/// A moment, for machines and for people.
public struct TimeView: Sendable {
    public let moment: Timestamp

    public init(_ moment: Timestamp) {
        self.moment = moment
    }

    public static let fields = Fields<TimeView>()
        .words("text") { $0.moment }
}

/// A state in one word.
public struct BadgeView: Sendable {
    public enum Kind: String, Sendable {
        case plain
        case good
        case warn
        case bad
    }

    public let kind: Kind
    public let text: Words

    public init(_ kind: Kind, _ text: any Wording) {
        self.kind = kind
        self.text = text.asWords
    }

    public static let fields = Fields<BadgeView>()
        .text("kind") { $0.kind.rawValue }
        .words("text") { $0.text }
}

/// One line of the summary above a refused form.
public struct FormError: Sendable {
    public let id: String
    public let message: Words

    public init(id: String, message: any Wording) {
        self.id = id
        self.message = message.asWords
    }

    public static let fields = Fields<FormError>()
        .text("id") { $0.id }
        .words("message") { $0.message }
}
