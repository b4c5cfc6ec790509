import Domain
import HTTP
import Registry
import Templates
import Web

/// Form that starts a test sign-in.
struct NewTestSignInPage: ConsolePage {
    static let template = "console/test-sign-ins/new"
    static let fields = frameFields.with {
        $0.group("serviceID", TestSignInServiceView.fields) { $0.service }
        $0.text("action") { $0.action }
        $0.list("errors", FormError.fields) { $0.problems.summary() }
        $0.group("nameScope", CheckboxView.fields) { $0.form.nameBox }
        $0.group("emailScope", CheckboxView.fields) { $0.form.emailBox }
        $0.group("responseMode", ChoicesView.fields) { $0.form.responseModeChoices($0.problems) }
    }

    let frame: ConsoleFrame
    let service: TestSignInServiceView
    let action: String
    let form: TestSignInForm
    let problems: FormProblems
}

/// Service ID of a test sign-in.
struct TestSignInServiceView: Sendable {
    let team: TeamID
    let service: ServiceID

    static let fields = Fields<TestSignInServiceView> {
        $0.text("url") { ConsoleRoutes.serviceID.link($0.team, $0.service.identifier) }
        $0.text("description") { $0.service.description }
        $0.text("identifier") { $0.service.identifier.rawValue }
    }
}
