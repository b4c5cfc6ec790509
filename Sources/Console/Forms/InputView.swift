import Core
import Platform
import Registry
import SignIn
import Templates

/// An input of a form, of any kind.
enum InputView: Sendable {
    case field(FieldView)
    case textarea(TextareaView)
    case select(SelectView)
    case choices(ChoicesView)
    case checkbox(CheckboxView)
    case returnURLs(ReturnURLsView)
    /// The content of a private key, with a button that reads it from a file.
    case privateKey(TextareaView)

    static let fields = Fields<InputView> {
        $0.optionalGroup("field", FieldView.fields) { if case .field(let view) = $0 { view } else { nil } }
        $0.optionalGroup("textarea", TextareaView.fields) { if case .textarea(let view) = $0 { view } else { nil } }
        $0.optionalGroup("select", SelectView.fields) { if case .select(let view) = $0 { view } else { nil } }
        $0.optionalGroup("choices", ChoicesView.fields) { if case .choices(let view) = $0 { view } else { nil } }
        $0.optionalGroup("checkbox", CheckboxView.fields) { if case .checkbox(let view) = $0 { view } else { nil } }
        $0.optionalGroup("returnURLs", ReturnURLsView.fields) {
            if case .returnURLs(let view) = $0 { view } else { nil }
        }
        $0.optionalGroup("privateKey", TextareaView.fields) { if case .privateKey(let view) = $0 { view } else { nil } }
    }

    /// A field of one line, which the browser does not fill in.
    static func text(
        _ name: String, _ label: Message, _ value: String, type: String = "text",
        placeholder: (any LocalizedTextConvertible)? = nil, hint: Message? = nil,
        error: (any LocalizedTextConvertible)? = nil, isRequired: Bool = true, isCode: Bool = false
    ) -> InputView {
        .field(
            FieldView(
                name, label: label, type: type, value: value, autocomplete: "off", placeholder: placeholder, hint: hint,
                error: error, isRequired: isRequired, isCode: isCode))
    }

    /// Selection list of App IDs.
    ///
    /// - Parameter none: the choice that stands for no App ID; nil if one has to be chosen.
    static func appIDs(
        _ appIDs: [AppID], chosen: String, _ name: String = "appID", label: Message, hint: Message? = nil,
        error: LocalizedText? = nil, none: Message? = nil
    ) -> InputView {
        let known = appIDs.map {
            SelectView.Option(
                $0.identifier.rawValue,
                Message(
                    "console.registry.option", ["description": $0.description, "identifier": $0.identifier.rawValue]),
                isSelected: $0.identifier.rawValue == chosen)
        }
        let none = none.map { [SelectView.Option("", $0, isSelected: chosen.isEmpty)] } ?? []
        return .select(SelectView(name, label: label, hint: hint, error: error, options: none + known))
    }
}
