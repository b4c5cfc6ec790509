import Bytes
import Templates
import Web

/// The section of second factors on the person's own page.
struct FactorSectionView: Sendable {
    /// A factor the person has.
    struct Row: Sendable {
        let url: String
        let title: Words
        let lastUsedAt: Timestamp?
        var note: Words?

        static let fields = Fields<Row>()
            .text("url") { $0.url }
            .words("title") { $0.title }
            .optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
            .optionalWords("note") { $0.note }
    }

    /// How many codes are left, and where new ones are made.
    struct Recovery: Sendable {
        let left: Words
        let action: String

        static let fields = Fields<Recovery>()
            .words("left") { $0.left }
            .text("action") { $0.action }
    }

    let team: String
    let isRequired: Bool
    let formToken: String
    let rows: [Row]
    var addTOTPURL: String?
    var addPasskeyURL: String?
    var recovery: Recovery?

    static let fields = Fields<FactorSectionView>()
        .text("team") { $0.team }
        .flag("required") { $0.isRequired }
        .text("csrf") { $0.formToken }
        .list("rows", Row.fields) { $0.rows }
        .optionalText("addTOTPURL") { $0.addTOTPURL }
        .optionalText("addPasskeyURL") { $0.addPasskeyURL }
        .optionalGroup("recovery", Recovery.fields) { $0.recovery }
}
