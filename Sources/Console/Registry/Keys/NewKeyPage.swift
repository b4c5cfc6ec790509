import Bytes
import Domain
import Registry
import Templates
import Web

/// The form for a new key.
struct NewKeyPage: ConsolePage {
    static let template = "console/keys/new"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .list("errors", FormError.fields) { $0.problems.summary() }
        .group("name", FieldView.fields) { page in
            FieldView(
                "name",
                label: Phrase("console.registry.name"),
                value: page.form.name,
                autocomplete: "off",
                placeholder: Phrase("console.keys.name.placeholder"),
                hint: Phrase("console.keys.name.hint"),
                error: page.problems["name"]
            )
        }
        .group("appID", SelectView.fields) { $0.appIDSelect }

    /// What was typed.
    struct Form: Sendable {
        let name: String
        let appID: String
    }

    let frame: ConsoleFrame
    let action: String
    let form: Form
    let problems: FormProblems
    let primaries: [AppID]

    private var appIDSelect: SelectView {
        SelectView(
            "appID",
            label: Phrase("console.registry.app-id"),
            hint: Phrase("console.keys.app-id.hint"),
            error: problems["appID"],
            options: primaries.map { primary in
                SelectView.Option(
                    primary.identifier.rawValue,
                    primary.optionLabel,
                    isSelected: primary.identifier.rawValue == form.appID
                )
            }
        )
    }
}
