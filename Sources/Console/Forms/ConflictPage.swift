import Core
import SignIn
import Templates

/// Page for a conflicting change by another member: both versions side by side, and the choice between them.
struct ConflictPage: FramedPage {
    static let template = "console/conflict"
    static let fields = frameFields.with {
        $0.text("heading") { $0.heading }
        $0.text("auditURL") { $0.auditURL }
        $0.list("rows", Row.fields) { $0.rows }
        $0.text("action") { $0.action }
        $0.text("version") { String($0.version) }
        $0.list("hidden", hiddenFields) { $0.typed }
        $0.text("reloadURL") { $0.reloadURL ?? $0.action }
    }

    /// One setting with its current value and the typed value.
    struct Row: Sendable {
        let label: LocalizedText
        let theirs: LocalizedText
        let yours: LocalizedText

        init(
            label: any LocalizedTextConvertible, theirs: any LocalizedTextConvertible,
            yours: any LocalizedTextConvertible
        ) {
            self.label = label.localizedText
            self.theirs = theirs.localizedText
            self.yours = yours.localizedText
        }

        static let fields = Fields<Row> {
            $0.words("label") { $0.label }
            $0.words("theirs") { $0.theirs }
            $0.words("yours") { $0.yours }
            $0.flag("differs") { $0.theirs != $0.yours }
        }
    }

    private static let hiddenFields = Fields<FormCoding.Field> {
        $0.text("name") { $0.name.text }
        $0.text("value") { $0.value }
    }

    let frame: ConsoleFrame
    let heading: String
    let auditURL: String
    let rows: [Row]
    /// URL to which the form is sent.
    let action: String
    /// URL of the edited page, if it differs from `action`.
    var reloadURL: String?
    /// Version of the current value, so that overwriting it succeeds.
    let version: Int
    let typed: [FormCoding.Field]
}
