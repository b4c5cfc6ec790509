import Core
import Templates

/// Page for a conflicting change by another member: both versions side by side, and the choice between them.
struct ConflictPage: ConsolePage {
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

/// Page with the form for a new object of the registry.
struct NewPage: ConsolePage {
    static let template = "console/new"
    static let fields = frameFields.with {
        $0.group("back", LinkView.fields) { $0.back }
        $0.words("heading") { $0.heading }
        $0.optionalWords("about") { $0.about }
        $0.optionalGroup("standIn", StandInSetup.fields) { $0.standIn }
        $0.optionalGroup("form", FormView.fields) { $0.form }
        $0.words("button") { $0.button }
    }

    let frame: ConsoleFrame
    /// The list to which the object is added.
    let back: LinkView
    let heading: Message
    let about: Message?
    /// Nil while the team has no App ID that the object could belong to.
    let form: FormView?
    let button: Message
    /// Instructions for the Apple simulator, if it replaces Apple and the object is one of Apple's.
    let standIn: StandInSetup?

    init(
        _ context: TeamContext, _ heading: Message, about: Message? = nil, backTo back: LinkView, _ form: FormView?,
        button: Message, standIn: StandInSetup? = nil
    ) {
        frame = context.frame(heading)
        (self.back, self.heading, self.about) = (back, heading, about)
        (self.form, self.button, self.standIn) = (form, button, standIn)
    }
}
