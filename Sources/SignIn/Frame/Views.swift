public import Core
public import Templates

/// URLs of the public files as currently served.
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

    public static let fields = Fields<AssetLinks> {
        $0.text("css") { $0.css }
        $0.url("js") { $0.js }
        $0.url("exit") { $0.exit }
        $0.url("factors") { $0.factors }
        $0.text("logo") { $0.logo }
        $0.text("icons") { $0.icons }
    }
}

/// A user's name, email address and initial.
public struct PersonView: Sendable {
    public let name: String
    public let email: String

    /// - Parameter name: replaced by the email address if it is empty.
    public init(name: String, email: String?) {
        self.email = email ?? ""
        self.name = name.isEmpty ? self.email : name
    }

    public var initial: String { Initial.of(name) }

    public static let fields = Fields<PersonView> {
        $0.text("name") { $0.name }
        $0.text("email") { $0.email }
        $0.text("initial") { $0.initial }
    }
}

/// First letter of a name in upper case, for avatars.
public enum Initial { public static func of(_ name: String) -> String { name.first.map { $0.uppercased() } ?? "?" } }

/// A value with a copy button.
public struct CopyView: Sendable {
    public let label: LocalizedText
    public let value: String

    public init(_ label: any LocalizedTextConvertible, _ value: String) {
        self.label = label.localizedText
        self.value = value
    }

    public static let fields = Fields<CopyView> {
        $0.words("label") { $0.label }
        $0.text("value") { $0.value }
    }
}

/// A time, rendered as a localized `<time>` element.
public struct TimeView: Sendable {
    public let moment: Timestamp

    public init(_ moment: Timestamp) { self.moment = moment }

    public static let fields = Fields<TimeView> { $0.words("text") { $0.moment } }
}

/// A status label of one word with its colour.
public struct BadgeView: Sendable {
    public enum Kind: String, Sendable {
        case plain
        case good
        case warn
        case bad
    }

    public let kind: Kind
    public let text: LocalizedText

    public init(_ kind: Kind, _ text: any LocalizedTextConvertible) {
        self.kind = kind
        self.text = text.localizedText
    }

    public static let fields = Fields<BadgeView> {
        $0.text("kind") { $0.kind.rawValue }
        $0.words("text") { $0.text }
    }
}

/// One line of the error summary above a form.
public struct FormError: Sendable {
    public let id: String
    public let message: LocalizedText

    public init(id: String, message: any LocalizedTextConvertible) {
        self.id = id
        self.message = message.localizedText
    }

    public static let fields = Fields<FormError> {
        $0.text("id") { $0.id }
        $0.words("message") { $0.message }
    }
}

/// Form of an irreversible action: lists the consequences, requires a typed confirmation and a reason.
public struct DangerView: Sendable {
    public let action: String
    public let summary: LocalizedText
    public let consequences: [LocalizedText]
    /// Text that the user has to type.
    public let expected: String
    public let confirmation: FieldView
    public let reason: FieldView
    public let button: LocalizedText
    public let version: String

    public init(
        action: String, summary: any LocalizedTextConvertible, consequences: [any LocalizedTextConvertible],
        expected: String, confirmation: FieldView, reason: FieldView, button: any LocalizedTextConvertible,
        version: String
    ) {
        self.action = action
        self.summary = summary.localizedText
        self.consequences = consequences.map(\.localizedText)
        self.expected = expected
        self.confirmation = confirmation
        self.reason = reason
        self.button = button.localizedText
        self.version = version
    }

    public static let fields = Fields<DangerView> {
        $0.text("action") { $0.action }
        $0.words("summary") { $0.summary }
        $0.list("consequences", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.consequences }
        $0.text("expected") { $0.expected }
        $0.group("confirmation", FieldView.fields) { $0.confirmation }
        $0.group("reason", FieldView.fields) { $0.reason }
        $0.words("button") { $0.button }
        $0.text("version") { $0.version }
    }
}

/// Footer of a list: summary, and links to the previous and next page.
public struct PagingView: Sendable {
    public let summary: LocalizedText
    public let previousURL: String?
    public let nextURL: String?

    public init(summary: any LocalizedTextConvertible, previousURL: String? = nil, nextURL: String? = nil) {
        self.summary = summary.localizedText
        self.previousURL = previousURL
        self.nextURL = nextURL
    }

    public static let fields = Fields<PagingView> {
        $0.words("summary") { $0.summary }
        $0.optionalText("previousURL") { $0.previousURL }
        $0.optionalText("nextURL") { $0.nextURL }
    }
}

/// An active filter of a list, with the URL of the list without it.
public struct ChipView: Sendable {
    public let label: LocalizedText
    public let value: LocalizedText
    public let removeURL: String

    public init(_ label: any LocalizedTextConvertible, _ value: any LocalizedTextConvertible, removeURL: String) {
        self.label = label.localizedText
        self.value = value.localizedText
        self.removeURL = removeURL
    }

    public static let fields = Fields<ChipView> {
        $0.words("label") { $0.label }
        $0.words("value") { $0.value }
        $0.text("removeURL") { $0.removeURL }
    }
}
