import Templates
import Web

/// Every later time with an app: one confirmation.
struct ContinuePage: HostedPage {
    static let template = "hosted/continue"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .group("person", PersonView.fields) { $0.person }
        .text("given") { $0.givenName }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    let person: PersonView
    /// What the button calls the person.
    let givenName: String
}
