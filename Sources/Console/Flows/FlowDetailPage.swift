import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// One sign-in, step by step, and what to do about it where it failed.
struct FlowDetailPage: ConsolePage {
    static let template = "console/flows/show"
    static let fields =
        frameFields
        .words("headline") { $0.story.headline }
        .group("badge", BadgeView.fields) { $0.story.badge }
        .group("started", TimeView.fields) { TimeView($0.story.flow.id.startedAt) }
        .flag("trial") { $0.story.flow.isTrial }
        .group("reference", CopyView.fields) {
            CopyView(Phrase("console.flows.reference"), $0.reference)
        }
        .optionalText("client") { $0.story.flow.clientID?.rawValue }
        .optionalText("clientURL") { $0.story.clientURL }
        .optionalText("person") { $0.person }
        .optionalText("personURL") { page in
            page.story.flow.subject.map { ConsoleRoutes.user.link(page.story.team.id, $0) }
        }
        .optionalGroup("diagnosis", FlowDiagnosis.fields) { $0.story.diagnosis }
        .flag("forgotten") { $0.story.isForgotten }
        .list("steps", FlowStepView.fields) { $0.story.steps }

    let frame: ConsoleFrame
    let story: FlowStory
    let person: String?

    /// What an error page showed; else the flow's own, since every sign-in can be spoken about.
    private var reference: String { story.flow.reference ?? story.flow.id.rawValue }
}
