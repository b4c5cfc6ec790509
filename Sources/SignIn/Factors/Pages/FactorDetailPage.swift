import Bytes
import Templates
import Web

/// One factor of the person.
struct FactorDetailPage: HostedPage {
    static let template = "hosted/factors/detail"
    static let fields =
        frameFields
        .words("heading") { $0.heading }
        .optionalWords("error") { $0.error }
        .text("csrf") { $0.formToken }
        .group("added", TimeView.fields) { TimeView($0.addedAt) }
        .optionalGroup("lastUsed", TimeView.fields) { $0.lastUsedAt.map(TimeView.init) }
        .optionalWords("kept") { $0.kept }
        .optionalGroup("rename", Rename.fields) { $0.rename }
        .optionalText("replaceURL") { $0.replaceURL }
        .group("removal", Removal.fields) { $0.removal }
        .text("backURL") { $0.backURL }

    struct Rename: Sendable {
        let action: String
        var field: FieldView

        static let fields = Fields<Rename>()
            .text("action") { $0.action }
            .group("field", FieldView.fields) { $0.field }
    }

    struct Removal: Sendable {
        let action: String
        let about: Words
        let label: Words

        static let fields = Fields<Removal>()
            .text("action") { $0.action }
            .words("about") { $0.about }
            .words("label") { $0.label }
    }

    let frame: HostedFrame
    let heading: Words
    var error: Words?
    let formToken: String
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?
    var kept: Words?
    var rename: Rename?
    var replaceURL: String?
    let removal: Removal
    let backURL: String
}
