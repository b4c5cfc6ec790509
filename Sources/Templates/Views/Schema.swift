public import Core

/// Names and kinds of the fields of a page, a group or a row, as binding needs them.
@usableFromInline struct Schema: Sendable {
    /// Name of the type that declares the fields, for diagnostics.
    let owner: String
    /// Distinguishes types of the same name.
    let type: ObjectIdentifier
    private(set) var fields: [Field] = []

    struct Field: Sendable {
        let name: String
        let kind: FieldKind
        let reader: Reader
    }

    init(of type: Any.Type) {
        owner = "\(type)"
        self.type = ObjectIdentifier(type)
    }

    mutating func declare(_ name: String, _ kind: FieldKind, _ reader: Reader) {
        fields.append(Field(name: name, kind: kind, reader: reader))
    }

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// Declarations that no template can use: invalid and duplicate names.
    var misdeclared: [(name: String, reason: String)] {
        var seen: Set<String> = []
        return fields.compactMap { field in
            if !Path.isName(field.name) { return (field.name, "no name a template can use") }
            return seen.insert(field.name).inserted ? nil : (field.name, "declared twice")
        }
    }
}

/// Kind of a field's value.
@usableFromInline enum FieldKind: Sendable {
    case text
    case optionalText
    case words
    case optionalWords
    case integer
    case flag
    case html
    case url
    case list(Schema)
    case group(Schema)
    case optionalGroup(Schema)

    /// Name of the kind in diagnostics.
    var noun: String {
        switch self {
        case .text: "a text"
        case .optionalText: "an optional text"
        case .words: "words"
        case .optionalWords: "optional words"
        case .integer: "a number"
        case .flag: "a flag"
        case .html: "a SafeHTML"
        case .url: "a SafeURL"
        case .list: "a list"
        case .group: "a group"
        case .optionalGroup: "an optional group"
        }
    }

    /// Fields of a list's rows or of a group.
    var schema: Schema? {
        switch self {
        case .list(let schema), .group(let schema), .optionalGroup(let schema): schema
        default: nil
        }
    }
}

/// A page: a struct with the values that one template shows.
///
///     struct ClientPage: View {
///         static let template = "console/clients/show"
///         static let fields = Fields<Self> { $0.text("name") { $0.client.name } }
///         let client: Client
///     }
public protocol View {
    /// Path of the template below the folder, without `.html`.
    static var template: String { get }
    /// The names the template may use.
    static var fields: Fields<Self> { get }
    /// Languages whose texts must exist; English alone by default.
    static var languages: [Language] { get }
    /// Language of this page, one of `languages`; English by default.
    var language: Language { get }
}

extension View {
    public static var languages: [Language] { [.english] }
    public var language: Language { .english }
}

/// A URL vetted by the code that creates it, which may have any scheme but those that run script.
///
/// Return URLs of apps have schemes of their own (`myapp:`, `intent:`), which a text value in `href` may not
/// have, because its origin is unknown.
public struct SafeURL: Hashable, Sendable {
    /// The URL, which the page escapes for an attribute.
    public let text: String

    /// Returns nil for `javascript:`, `vbscript:` and `data:`, and for text that is not a URL.
    ///
    /// Rejects blanks and control characters (browsers drop some of them, so that `java\nscript:` would
    /// be `javascript:`), `"`, `<`, `>`, `\`, a backtick, and a leading `'`
    /// (which a refresh would read as a quote).
    public init?(vetted text: String) {
        guard !text.utf8.contains(where: Self.isRefused), text.utf8.first != UInt8(ascii: "'") else { return nil }
        var position = URLPosition.start
        for byte in text.utf8 {
            // Unlike in an attribute, `&` does not begin a character reference here.
            if byte == UInt8(ascii: "&") { break }
            position.advance(byte)
        }
        guard position != .script else { return nil }
        self.text = text
    }

    /// Creates a URL from a literal; stops the process if `init(vetted:)` would return nil.
    public init(literal: StaticString) {
        guard let url = SafeURL(vetted: literal.description) else { preconditionFailure("no safe URL: \(literal)") }
        self = url
    }

    private static func isRefused(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "\"<>\\`".utf8.contains(byte)
    }
}

/// Markup that is written unescaped.
///
/// The code that creates it guarantees that all external input in it is escaped and that it closes every tag
/// it opens. Allowed only in the text of a page, not in an attribute.
public struct SafeHTML: Hashable, Sendable {
    /// The markup.
    public let markup: String

    /// Creates markup that the caller guarantees to be safe.
    public init(trusted markup: String) { self.markup = markup }
}
