import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one Service ID: its settings, its domains, and the settings for a client library.
struct ServiceIDPage: ConsolePage {
    static let template = "console/service-ids/show"
    static let fields = frameFields.with {
        $0.text("heading") { $0.service.description }
        $0.group("identifier", CopyView.fields) {
            CopyView(Message("console.service-ids.copy"), $0.service.identifier.rawValue)
        }
        $0.group("appID", parentFields) { $0 }
        $0.optionalText("testSignInURL") { $0.testSignInURL }
        $0.optionalGroup("editing", Editing.fields) { $0.editing }
        $0.list("details", SettingView.fields) { $0.details }
        $0.list("domains", DomainRow.fields) { $0.domains }
        $0.list("settings", CopyView.fields) { $0.settings }
        $0.optionalText("keysURL") { $0.keysURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let parentFields = Fields<ServiceIDPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.service.appID) }
        $0.text("identifier") { $0.service.appID.rawValue }
    }

    /// Form to edit all settings of the Service ID in one save.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        /// Issuer URL of the team.
        let base: String
        let form: ServiceIDForm
        let problems: FormProblems

        static let fields = Fields<Editing> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.text("version") { String($0.version) }
            $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            $0.group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
            $0.group("domains", TextareaView.fields) { $0.form.domainsArea($0.problems) }
            $0.group("returnURLs", ReturnURLsView.fields) { $0.form.returnURLsView($0.problems) }
            $0.group("issuer", ChoicesView.fields) {
                ServiceID.Issuer.choices($0.form.issuer, own: $0.base, $0.problems)
            }
            $0.group("booleans", ChoicesView.fields) { $0.form.booleansChoices($0.problems) }
            $0.group("requirePKCE", CheckboxView.fields) { $0.form.requirePKCEBox }
        }
    }

    /// A domain of the Service ID.
    struct DomainRow: Sendable {
        let team: TeamID
        let domain: RegisteredDomain

        static let fields = Fields<DomainRow> {
            $0.text("url") { RegistryRoutes.domain.link($0.team, $0.domain.name.text) }
            $0.text("name") { $0.domain.name.text }
            $0.group("state", BadgeView.fields) { $0.domain.badge }
            $0.optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let service: ServiceID
    let testSignInURL: String?
    let editing: Editing?
    let domains: [DomainRow]
    let settings: [CopyView]
    let keysURL: String?
    let danger: DangerView?

    private var details: [SettingView] { ServiceIDForm(service).words.map { SettingView($0.label, $0.value) } }
}
