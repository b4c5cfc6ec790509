public import Core
import Templates

/// One of the values that an input can have.
public struct Option: Sendable {
    let value: String
    let text: LocalizedText
    let hint: LocalizedText?
    let isChosen: Bool
    /// Whether it cannot be chosen at present.
    let isDisabled: Bool

    public init(
        _ value: String, _ text: any LocalizedTextConvertible, hint: (any LocalizedTextConvertible)? = nil,
        isChosen: Bool, isDisabled: Bool = false
    ) {
        self.value = value
        self.text = text.localizedText
        self.hint = hint?.localizedText
        self.isChosen = isChosen
        self.isDisabled = isDisabled
    }

    static let fields = Fields<Option> {
        $0.text("value") { $0.value }
        $0.words("text") { $0.text }
        $0.optionalWords("hint") { $0.hint }
        $0.flag("chosen") { $0.isChosen }
        $0.flag("disabled") { $0.isDisabled }
    }
}
