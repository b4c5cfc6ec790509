public import Core
public import Templates

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

    /// The label of a state, with its text in `family`; plain for a state that stands in no list.
    public init<State: RawRepresentable<String> & Equatable>(
        _ state: State, in family: StaticString, good: [State] = [], warn: [State] = [], bad: [State] = []
    ) {
        let kind: Kind =
            good.contains(state) ? .good : warn.contains(state) ? .warn : bad.contains(state) ? .bad : .plain
        self.init(kind, Message(in: family, state.rawValue))
    }

    public static let fields = Fields<BadgeView> {
        $0.text("kind") { $0.kind.rawValue }
        $0.words("text") { $0.text }
    }
}
