import Bytes
import Templates
import Web

/// Somebody saved first: both versions side by side, and the choice which one stays.
struct ConflictPage: ConsolePage {
    static let template = "console/conflict"
    static let fields =
        frameFields
        .text("heading") { $0.heading }
        .text("auditURL") { $0.auditURL }
        .list("rows", Row.fields) { $0.rows }
        .text("action") { $0.action }
        .text("version") { String($0.version) }
        .list("hidden", hiddenFields) { $0.typed }
        .text("reloadURL") { $0.reloadURL ?? $0.action }

    /// One setting as it is now and as it was typed.
    struct Row: Sendable {
        let label: Words
        let theirs: Words
        let yours: Words

        init(label: any Wording, theirs: any Wording, yours: any Wording) {
            self.label = label.asWords
            self.theirs = theirs.asWords
            self.yours = yours.asWords
        }

        static let fields = Fields<Row>()
            .words("label") { $0.label }
            .words("theirs") { $0.theirs }
            .words("yours") { $0.yours }
            .flag("differs") { $0.theirs != $0.yours }
    }

    private static let hiddenFields = Fields<FormCoding.Field>()
        .text("name") { $0.name.text }
        .text("value") { $0.value }

    let frame: ConsoleFrame
    let heading: String
    let auditURL: String
    let rows: [Row]
    /// Where the form goes.
    let action: String
    /// The page that was edited, where it has another address.
    var reloadURL: String?
    /// Theirs, so that saving yours over it succeeds.
    let version: Int
    let typed: [FormCoding.Field]
}
