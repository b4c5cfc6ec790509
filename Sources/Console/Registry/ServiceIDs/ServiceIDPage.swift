import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One Service ID: its settings, and what a client library needs of it.
struct ServiceIDPage: ConsolePage {
    static let template = "console/service-ids/show"
    static let fields =
        frameFields
        .text("heading") { $0.service.description }
        .group("identifier", CopyView.fields) {
            CopyView(Phrase("console.service-ids.copy"), $0.service.identifier.rawValue)
        }
        .group("appID", parentFields) { $0 }
        .optionalText("trialURL") { $0.trialURL }
        .optionalGroup("editing", Editing.fields) { $0.editing }
        .list("details", SettingView.fields) { $0.details }
        .list("domains", DomainRow.fields) { $0.domains }
        .list("settings", CopyView.fields) { $0.settings }
        .optionalText("keysURL") { $0.keysURL }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    private static let parentFields = Fields<ServiceIDPage>()
        .text("url") { ConsoleRoutes.appID.link($0.team, $0.service.appID) }
        .text("identifier") { $0.service.appID.rawValue }

    /// The form of its settings: one save for all of them.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        /// The team's own issuer.
        let base: String
        let form: ServiceIDForm
        let problems: FormProblems

        static let fields = Fields<Editing>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .text("version") { String($0.version) }
            .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            .group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
            .group("domains", TextareaView.fields) { $0.form.domainsArea($0.problems) }
            .group("returnURLs", ReturnURLsView.fields) { $0.form.returnURLsView($0.problems) }
            .group("issuer", ChoicesView.fields) { $0.form.issuerChoices(own: $0.base, $0.problems) }
            .group("booleans", ChoicesView.fields) { $0.form.booleansChoices($0.problems) }
            .group("requirePKCE", CheckboxView.fields) { $0.form.requirePKCEBox }
    }

    /// One of its domains.
    struct DomainRow: Sendable {
        let team: TeamID
        let domain: RegisteredDomain

        static let fields = Fields<DomainRow>()
            .text("url") { RegistryRoutes.domain.link($0.team, $0.domain.name.text) }
            .text("name") { $0.domain.name.text }
            .group("state", BadgeView.fields) { $0.domain.badge }
            .optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let service: ServiceID
    let trialURL: String?
    let editing: Editing?
    let domains: [DomainRow]
    let settings: [CopyView]
    let keysURL: String?
    let danger: DangerView?

    private var details: [SettingView] {
        ServiceIDForm(service).words.map { SettingView($0.label, $0.value) }
    }
}
