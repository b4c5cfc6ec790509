import Core
import SignIn
import Templates

/// A part of a row of a list: a text, a time, a code, a state, a link or a button.
///
/// A class, because a template reads a part field by field, and each read would copy it.
final class RowPart: Sendable {
    private enum Content: Sendable {
        case text(LocalizedText, time: Timestamp?)
        case code(String, isClipped: Bool)
        case badge(BadgeView)
        case link(LocalizedText, url: String, hidden: String?, isClipped: Bool)
        case button(Button)
    }

    /// A button that sends a form without fields.
    private struct Button: Sendable {
        let words: LocalizedText
        let action: String
        /// Name of the button for screen readers, where the rows have the same words; nil for `words` and `hidden`.
        let label: LocalizedText?
        /// What a screen reader says after `words`.
        let hidden: String?
        let isQuiet: Bool

        static let fields = Fields<Button> {
            $0.words("words") { $0.words }
            $0.text("action") { $0.action }
            $0.optionalWords("label") { $0.label }
            $0.optionalText("hidden") { $0.hidden }
            $0.flag("quiet") { $0.isQuiet }
        }
    }

    private let content: Content
    /// What a screen reader says in place of a link's words, where the rows have the same.
    private let label: LocalizedText?
    /// Whether it stands on a line of its own.
    private let isBelow: Bool
    /// Whether it is left out on a phone.
    private let isWide: Bool
    private let isHint: Bool
    /// Whether it is a text without more, as most parts are: the template has a short way for it.
    private let isPlain: Bool

    private init(
        _ content: Content, label: LocalizedText? = nil, isBelow: Bool = false, isWide: Bool = false,
        isHint: Bool = false
    ) {
        self.content = content
        self.label = label
        self.isBelow = isBelow
        self.isWide = isWide
        self.isHint = isHint
        isPlain = if case .text(_, nil) = content { !isBelow && !isWide && !isHint } else { false }
    }

    /// A text or a time, followed by `time`.
    static func text(_ words: any LocalizedTextConvertible, _ time: Timestamp? = nil) -> RowPart {
        RowPart(.text(words.localizedText, time: time))
    }

    /// A message, as most are: it needs no box.
    static func text(_ words: Message, _ time: Timestamp? = nil) -> RowPart {
        RowPart(.text(.message(words), time: time))
    }

    /// `words` with the time, or `never` without one.
    static func last(_ words: Message, _ time: Timestamp?, never: Message) -> RowPart {
        time.map { .text(words, $0) } ?? .text(never)
    }

    static func code(_ text: String, isClipped: Bool = false) -> RowPart { RowPart(.code(text, isClipped: isClipped)) }

    static func badge(_ badge: BadgeView) -> RowPart { RowPart(.badge(badge)) }

    static func badge(_ kind: BadgeView.Kind, _ words: Message) -> RowPart { .badge(BadgeView(kind, words)) }

    /// - Parameters:
    ///   - hidden: what a screen reader says after `words`; it also makes the link look like a button.
    ///   - isClipped: whether the words are a code that is cut where there is no room.
    static func link(
        _ words: any LocalizedTextConvertible, _ url: String, label: Message? = nil, for hidden: String? = nil,
        isClipped: Bool = false
    ) -> RowPart {
        RowPart(.link(words.localizedText, url: url, hidden: hidden, isClipped: isClipped), label: label?.localizedText)
    }

    static func button(
        _ words: Message, _ action: String, label: Message? = nil, for hidden: String? = nil, isQuiet: Bool = false
    ) -> RowPart {
        let button = Button(
            words: words.localizedText, action: action, label: label?.localizedText, hidden: hidden, isQuiet: isQuiet)
        return RowPart(.button(button))
    }

    /// The part on a line of its own.
    ///
    /// - Parameters:
    ///   - isHint: whether it is small and grey.
    ///   - isWide: whether it is left out on a phone.
    func below(isHint: Bool = false, isWide: Bool = false) -> RowPart {
        RowPart(content, label: label, isBelow: true, isWide: isWide, isHint: isHint)
    }

    static let fields = Fields<RowPart> {
        $0.flag("plain") { $0.isPlain }
        $0.flag("below") { $0.isBelow }
        $0.flag("wide") { $0.isWide }
        $0.flag("hint") { $0.isHint }
        $0.flag("said") { if case .text = $0.content { true } else { false } }
        $0.optionalWords("words") { if case .text(let words, _) = $0.content { words } else { nil } }
        $0.optionalWords("time") { if case .text(_, let time) = $0.content { time } else { nil } }
        $0.optionalText("code") { if case .code(let text, _) = $0.content { text } else { nil } }
        $0.flag("clipped") { part in
            switch part.content {
            case .code(_, let isClipped), .link(_, _, _, let isClipped): isClipped
            default: false
            }
        }
        $0.optionalGroup("badge", BadgeView.fields) { if case .badge(let badge) = $0.content { badge } else { nil } }
        $0.optionalText("url") { if case .link(_, let url, _, _) = $0.content { url } else { nil } }
        $0.optionalWords("linkLabel") { $0.label }
        $0.optionalWords("link") { if case .link(let words, _, _, _) = $0.content { words } else { nil } }
        $0.optionalText("linkHidden") { if case .link(_, _, let hidden, _) = $0.content { hidden } else { nil } }
        $0.optionalGroup("button", Button.fields) { if case .button(let button) = $0.content { button } else { nil } }
    }
}
