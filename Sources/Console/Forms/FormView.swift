import Core
import Platform
import SignIn
import Templates

/// A form on a page: where it is sent, its errors and its inputs.
struct FormView: Sendable {
    let action: String
    /// URL that checks the inputs while they are typed.
    var checkURL: String?
    /// Version of the object that the form changes; nil if it changes none.
    var version: Int?
    let errors: [ErrorLink]
    let inputs: [Input]
    /// Inputs of a second part of the form.
    var more: [Input] = []

    static let fields = Fields<FormView> {
        $0.text("action") { $0.action }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalText("version") { $0.version.map { String($0) } }
        $0.errors { $0.errors }
        $0.list("inputs", Input.fields) { $0.inputs }
        $0.list("more", Fields<[Input]> { $0.list("inputs", Input.fields) { $0 } }) { form in
            form.more.isEmpty ? [] : [form.more]
        }
    }
}

/// A read-only setting, for members without the right to change it.
struct SettingView: Sendable {
    let label: LocalizedText
    let value: LocalizedText

    init(_ label: any LocalizedTextConvertible, _ value: any LocalizedTextConvertible) {
        self.label = label.localizedText
        self.value = value.localizedText
    }

    static let fields = Fields<SettingView> {
        $0.words("label") { $0.label }
        $0.words("value") { $0.value }
    }
}
