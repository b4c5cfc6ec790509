import Templates

/// Confirmation at every later sign-in to an app.
struct ContinuePage: HostedPage {
    static let template = "hosted/continue"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.group("person", PersonView.fields) { $0.person }
        $0.text("given") { $0.givenName }
    }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    let person: PersonView
    /// Name of the user on the button.
    let givenName: String
}
