import Core
import Templates

/// Page of one factor of the user.
struct FactorDetailPage: HostedPage {
    static let template = "hosted/factors/detail"
    static let fields = frameFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("error") { $0.error }
        $0.text("csrf") { $0.formToken }
        $0.group("added", TimeView.fields) { TimeView($0.addedAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
        $0.optionalWords("kept") { $0.kept }
        $0.optionalGroup("rename", Rename.fields) { $0.rename }
        $0.optionalText("replaceURL") { $0.replaceURL }
        $0.group("removal", Removal.fields) { $0.removal }
        $0.text("backURL") { $0.backURL }
    }

    struct Rename: Sendable {
        let action: String
        var field: FieldView

        static let fields = Fields<Rename> {
            $0.text("action") { $0.action }
            $0.group("field", FieldView.fields) { $0.field }
        }
    }

    struct Removal: Sendable {
        let action: String
        let about: LocalizedText
        let label: LocalizedText

        static let fields = Fields<Removal> {
            $0.text("action") { $0.action }
            $0.words("about") { $0.about }
            $0.words("label") { $0.label }
        }
    }

    let frame: HostedFrame
    let heading: LocalizedText
    var error: LocalizedText?
    let formToken: String
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?
    var kept: LocalizedText?
    var rename: Rename?
    var replaceURL: String?
    let removal: Removal
    let backURL: String
}
