import Core

/// One text in one language: a single form, or one per plural category.
///
/// A class, because rendering a page finds a hundred of them and would copy each.
final class TextEntry: Sendable {
    let location: Location
    /// The single form is that of `other`.
    let forms: [PluralCategory: [TextPiece]]
    /// Whether the forms are given by plural category.
    let isPlural: Bool
    /// The form of `other`, which needs no search.
    private let other: [TextPiece]

    init(location: Location, _ forms: [PluralCategory: [TextPiece]], isPlural: Bool) {
        self.location = location
        self.forms = forms
        self.isPlural = isPlural
        other = forms[.other] ?? []
    }

    /// The entry with one more form.
    func with(_ form: [TextPiece], of category: PluralCategory) -> TextEntry {
        TextEntry(location: location, forms.merging([category: form]) { $1 }, isPlural: isPlural)
    }

    /// Returns the form for a number, or the single form.
    func form(for count: Int?, in language: Language) -> [TextPiece] {
        guard isPlural else { return other }
        return forms[language.pluralCategory(of: count ?? 0)] ?? other
    }

    /// Names of the required arguments besides `count`.
    var arguments: Set<String> {
        var names = Set(forms.values.joined().compactMap(\.argument))
        names.remove("count")
        return names
    }

    /// Size of all forms without arguments, in bytes, counted against the size limit of a page.
    var byteCount: Int {
        forms.values.joined().reduce(0) { count, piece in
            switch piece {
            case .words(let text), .markup(let text): count + text.utf8.count
            case .argument, .link: count
            }
        }
    }

    /// Whether `count` selects the form or is part of the text.
    var needsCount: Bool { isPlural || forms.values.joined().contains { $0.argument == "count" } }
}

/// Keys of texts.
enum TextKey {
    /// Whether the text is a key: parts of letters, digits, `-` and `_`, joined by dots.
    static func isKey(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= TemplateLimit.nameBytes * 3
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                    }
            }
    }
}

/// A part of a text.
enum TextPiece: Equatable, Sendable {
    /// Plain text, escaped for its position.
    case words(String)
    /// The placeholder `{name}`.
    case argument(String)
    /// One of the allowed tags, as written.
    case markup(String)
    /// `<a name>`: the opening tag of a link whose URL is the argument.
    case link(String)

    /// Name of the argument, if the piece has one.
    var argument: String? {
        switch self {
        case .argument(let name), .link(let name): name
        case .words, .markup: nil
        }
    }

    var isMarkup: Bool {
        switch self {
        case .markup, .link: true
        case .words, .argument: false
        }
    }
}
