import Bytes
import Localization
import Templates

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
