import Core
import SignIn

/// A search or filter of a list, by the name of its query parameter.
struct ListFilter: Sendable {
    /// The element with which a member sets the filter.
    enum Element: Sendable {
        /// A text field of that type.
        case text(type: String, placeholder: Message?)
        /// A selection list of the values with their names; `any` is the choice that matches every item.
        case choice(any: Message, [(value: String, words: LocalizedText)])
        /// None: the filter is set by links only.
        case hidden
    }

    /// Maximum length of a value in octets; nothing in a list that a member would type is longer.
    static let longest = 300

    let name: String
    let label: Message
    let element: Element
    /// Whether a value is possible; the list ignores others.
    var accepts: @Sendable (String) -> Bool = { _ in true }
    /// The value as its chip shows it.
    var shown: @Sendable (String) -> any LocalizedTextConvertible = { $0 }

    /// The search text, which the page shows apart from the filters.
    static func search(
        _ label: Message, placeholder: Message, accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ListFilter {
        ListFilter(name: "q", label: label, element: .text(type: "search", placeholder: placeholder), accepts: accepts)
    }

    static func text(
        _ name: String, _ label: Message, type: String = "text", placeholder: Message? = nil,
        accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ListFilter {
        ListFilter(name: name, label: label, element: .text(type: type, placeholder: placeholder), accepts: accepts)
    }

    static func choice(
        _ name: String, _ label: Message, any: Message, _ values: [(String, any LocalizedTextConvertible)]
    ) -> ListFilter {
        let words = Dictionary(values.map { ($0.0, $0.1.localizedText) }) { first, _ in first }
        return ListFilter(
            name: name, label: label, element: .choice(any: any, values.map { ($0.0, $0.1.localizedText) }),
            accepts: { words[$0] != nil }, shown: { words[$0] ?? .verbatim($0) })
    }

    /// The input with `value`; nil if the filter has none.
    func view(_ value: String, errors: FieldErrors = FieldErrors()) -> Input? {
        switch element {
        case .hidden: return nil
        case .text(let type, let placeholder):
            return Input(
                name, label, value, as: .line(type), placeholder: placeholder, errors: errors, isRequired: false,
                isCode: type != "date")
        case .choice(let any, let values):
            let options = values.map { Option($0.value, $0.words, isChosen: $0.value == value) }
            return Input(
                name, label, as: .list([Option("", any, isChosen: value.isEmpty)] + options), errors: errors,
                isRequired: false)
        }
    }

    /// A value as the list reads it.
    static func read(_ text: String) -> String { text.cut(toOctets: 4 * longest).typedLine.cut(toOctets: longest) }
}
