import Bytes

/// One text in one language: a single form, or one for each kind of number.
struct TextEntry: Sendable {
    let location: Location
    var forms: [PluralCategory: [TextPiece]]
    /// Whether forms were given by their categories.
    let isPlural: Bool

    /// The form that needs no number, or the one that goes with it.
    func form(for count: Int?, in language: Language) -> [TextPiece] {
        guard isPlural else { return forms[.other] ?? [] }
        let category = language.pluralCategory(of: count ?? 0)
        return forms[category] ?? forms[.other] ?? []
    }

    /// What callers have to give besides `count`.
    var arguments: Set<String> {
        var names = Set(forms.values.joined().compactMap(\.argument))
        names.remove("count")
        return names
    }

    /// How long the page becomes by it, without arguments.
    var byteCount: Int {
        forms.values.joined().reduce(0) { count, piece in
            switch piece {
            case .words(let text), .markup(let text): count + text.utf8.count
            case .argument, .link: count
            }
        }
    }

    /// Whether `count` decides or is written.
    var needsCount: Bool {
        isPlural || forms.values.joined().contains { $0.argument == "count" }
    }
}
