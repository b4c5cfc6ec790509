import Bytes
import Domain
import Localization
import Registry
import Templates
import Web

/// Page with the form for a new key.
struct NewKeyPage: ConsolePage {
    static let template = "console/keys/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.list("errors", FormError.fields) { $0.problems.summary() }
        $0.group("name", FieldView.fields) { page in
            FieldView(
                "name", label: Message("console.registry.name"), value: page.form.name, autocomplete: "off",
                placeholder: Message("console.keys.name.placeholder"), hint: Message("console.keys.name.hint"),
                error: page.problems["name"])
        }
        $0.group("appID", SelectView.fields) { $0.appIDSelect }
    }

    /// The values as typed.
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
            "appID", label: Message("console.registry.app-id"), hint: Message("console.keys.app-id.hint"),
            error: problems["appID"],
            options: primaries.map { primary in
                SelectView.Option(
                    primary.identifier.rawValue, primary.optionLabel,
                    isSelected: primary.identifier.rawValue == form.appID)
            })
    }
}
