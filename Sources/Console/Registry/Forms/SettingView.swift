import Bytes
import Templates

/// A setting, for who may not change it.
struct SettingView: Sendable {
    let label: Words
    let value: Words

    init(_ label: any Wording, _ value: any Wording) {
        self.label = label.asWords
        self.value = value.asWords
    }

    static let fields = Fields<SettingView>()
        .words("label") { $0.label }
        .words("value") { $0.value }
}
