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
    let inputs: [InputView]
    /// Inputs of a second part of the form.
    var more: [InputView] = []

    static let fields = Fields<FormView> {
        $0.text("action") { $0.action }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalText("version") { $0.version.map { String($0) } }
        $0.errors { $0.errors }
        $0.list("inputs", InputView.fields) { $0.inputs }
        $0.list("more", Fields<[InputView]> { $0.list("inputs", InputView.fields) { $0 } }) { form in
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

/// Input rows for return URLs with their errors: ten, or more if more were typed.
///
/// The rows after the first `spare` empty ones are collapsed.
struct ReturnURLsView: Sendable {
    struct Row: Sendable {
        let number: Int
        let value: String
        let error: LocalizedText?

        var id: String { ReturnURLsView.id(ofRow: number - 1) }

        static let fields = Fields<Row> {
            $0.text("id") { $0.id }
            $0.words("label") { Message("console.service-ids.return-url", ["number": $0.number]) }
            $0.text("value") { $0.value }
            $0.optionalWords("error") { $0.error }
        }
    }

    /// Number of visible empty rows.
    private static let spare = 2

    let rows: [Row]
    private let inSight: Int

    init(typed: [String], problems: [Int: LocalizedText]) {
        rows = (0..<max(Quota.returnURLs.count, typed.count)).map { index in
            Row(number: index + 1, value: index < typed.count ? typed[index] : "", error: problems[index])
        }
        let used = (rows.lastIndex { !$0.value.isEmpty || $0.error != nil } ?? -1) + 1
        inSight = min(rows.count, used + Self.spare)
    }

    static func id(ofRow index: Int) -> String { "return-url-\(index + 1)" }

    static let fields = Fields<ReturnURLsView> {
        $0.words("hint") { _ in Message("console.service-ids.return-urls.hint", ["limit": Quota.returnURLs.count]) }
        $0.list("rows", Row.fields) { Array($0.rows.prefix($0.inSight)) }
        $0.list("more", Row.fields) { Array($0.rows.dropFirst($0.inSight)) }
    }
}
