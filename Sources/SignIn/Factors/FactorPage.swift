import Core
import Templates

/// Page that requests a second factor or the password.
struct FactorPage: FormPage {
    static let template = "hosted/factors/prove"
    static let fields = formFields.with {
        $0.words("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.text("method") { $0.method }
        $0.list("inputs", Input.fields) { $0.inputs }
        $0.list("others", Other.fields) { $0.others }
        $0.flag("cancellable") { $0.isCancellable }
    }

    /// Link to another kind of factor.
    struct Other: Sendable {
        let url: String
        let label: Message

        static let fields = Fields<Other> {
            $0.text("url") { $0.url }
            $0.words("label") { $0.label }
        }
    }

    let form: HostedForm
    let lead: Message
    var error: Message?
    var passkey: PasskeyFormView?
    /// What the inputs ask for: a kind of factor, or `password`.
    var method = ""
    /// Code to enter, or the password of a user without a second factor.
    var inputs: [Input] = []
    var others: [Other] = []
    var isCancellable = false
}

/// Page of one factor of the user, which its form removes.
struct FactorDetailPage: FormPage {
    static let template = "hosted/factors/detail"
    static let fields = formFields.with {
        $0.words("heading") { $0.heading }
        $0.optionalWords("error") { $0.error }
        $0.group("added", TimeView.fields) { TimeView($0.addedAt) }
        $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
        $0.optionalWords("kept") { $0.kept }
        $0.optionalGroup("rename", Rename.fields) { $0.rename }
        $0.optionalText("replaceURL") { $0.replaceURL }
        $0.words("about") { $0.about }
        $0.words("label") { $0.label }
    }

    struct Rename: Sendable {
        let action: String
        var field: Input

        static let fields = Fields<Rename> {
            $0.text("action") { $0.action }
            $0.group("field", Input.fields) { $0.field }
        }
    }

    let form: HostedForm
    let heading: LocalizedText
    var error: Message?
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?
    var kept: Message?
    var rename: Rename?
    var replaceURL: String?
    /// What a removal causes.
    let about: Message
    /// Words of the button that removes the factor.
    let label: Message
}

/// Section of second factors on the account page.
struct FactorSectionView: Sendable {
    /// Factor of the user.
    struct Row: Sendable {
        let url: String
        let title: LocalizedText
        let lastUsedAt: Timestamp?
        var note: LocalizedText?

        static let fields = Fields<Row> {
            $0.text("url") { $0.url }
            $0.words("title") { $0.title }
            $0.optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
            $0.optionalWords("note") { $0.note }
        }
    }

    /// Number of unused recovery codes, and the address that creates new ones.
    struct Recovery: Sendable {
        let left: LocalizedText
        let action: String

        static let fields = Fields<Recovery> {
            $0.words("left") { $0.left }
            $0.text("action") { $0.action }
        }
    }

    let team: String
    let isRequired: Bool
    let formToken: String
    let rows: [Row]
    var addTOTPURL: String?
    var addPasskeyURL: String?
    var recovery: Recovery?

    static let fields = Fields<FactorSectionView> {
        $0.text("team") { $0.team }
        $0.flag("required") { $0.isRequired }
        $0.text("csrf") { $0.formToken }
        $0.list("rows", Row.fields) { $0.rows }
        $0.optionalText("addTOTPURL") { $0.addTOTPURL }
        $0.optionalText("addPasskeyURL") { $0.addPasskeyURL }
        $0.optionalGroup("recovery", Recovery.fields) { $0.recovery }
    }
}
