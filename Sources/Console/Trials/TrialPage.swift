import AuthEngine
import Bytes
import Templates
import Web

/// A trial, step by step.
struct TrialPage: ConsolePage {
    static let template = "console/trials/show"
    static let fields =
        frameFields
        .group("serviceID", TrialServiceView.fields) { $0.service }
        .group("outcome", BadgeView.fields) { $0.story.badge }
        .words("summary") { $0.story.summary }
        .group("started", TimeView.fields) { TimeView($0.started) }
        .text("againURL") { $0.againURL }
        .list("steps", TrialStep.fields) { $0.story.steps }

    let frame: ConsoleFrame
    let service: TrialServiceView
    let started: Timestamp
    let againURL: String
    let story: TrialStory
}
