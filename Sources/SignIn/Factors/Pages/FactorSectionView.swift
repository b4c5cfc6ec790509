import Core
import Templates

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
