import Bytes
import Templates
import Web

/// Page that shows a test sign-in step by step.
struct TestSignInPage: ConsolePage {
    static let template = "console/test-sign-ins/show"
    static let fields = frameFields.with {
        $0.group("serviceID", TestSignInServiceView.fields) { $0.service }
        $0.group("outcome", BadgeView.fields) { $0.story.badge }
        $0.words("summary") { $0.story.summary }
        $0.group("started", TimeView.fields) { TimeView($0.started) }
        $0.text("againURL") { $0.againURL }
        $0.list("steps", TestSignInStep.fields) { $0.story.steps }
    }

    let frame: ConsoleFrame
    let service: TestSignInServiceView
    let started: Timestamp
    let againURL: String
    let story: TestSignInNarrative
}
