import Domain
import HTTP
import Registry
import Templates
import Web

/// The form that begins a trial.
struct NewTrialPage: ConsolePage {
    static let template = "console/trials/new"
    static let fields =
        frameFields
        .group("serviceID", TrialServiceView.fields) { $0.service }
        .text("action") { $0.action }
        .list("errors", FormError.fields) { $0.problems.summary() }
        .group("nameScope", CheckboxView.fields) { $0.form.nameBox }
        .group("emailScope", CheckboxView.fields) { $0.form.emailBox }
        .group("responseMode", ChoicesView.fields) { $0.form.responseModeChoices($0.problems) }

    let frame: ConsoleFrame
    let service: TrialServiceView
    let action: String
    let form: TrialForm
    let problems: FormProblems
}

/// The Service ID a trial signs in as.
struct TrialServiceView: Sendable {
    let team: TeamID
    let service: ServiceID

    static let fields = Fields<TrialServiceView>()
        .text("url") { ConsoleRoutes.serviceID.link($0.team, $0.service.identifier) }
        .text("description") { $0.service.description }
        .text("identifier") { $0.service.identifier.rawValue }
}
