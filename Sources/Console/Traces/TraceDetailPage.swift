import Bytes
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Templates
import Web

/// A sign-in trace step by step, with a diagnosis if it failed.
struct TraceDetailPage: ConsolePage {
    static let template = "console/traces/show"
    static let fields = frameFields.with {
        $0.words("headline") { $0.story.headline }
        $0.group("badge", BadgeView.fields) { $0.story.badge }
        $0.group("started", TimeView.fields) { TimeView($0.story.trace.id.startedAt) }
        $0.flag("isTest") { $0.story.trace.isTest }
        $0.group("reference", CopyView.fields) { CopyView(Message("console.traces.reference"), $0.reference) }
        $0.optionalText("client") { $0.story.trace.clientID?.rawValue }
        $0.optionalText("clientURL") { $0.story.clientURL }
        $0.optionalText("person") { $0.person }
        $0.optionalText("personURL") { page in
            page.story.trace.subject.map { ConsoleRoutes.user.link(page.story.team.id, $0) }
        }
        $0.optionalGroup("diagnosis", TraceDiagnosis.fields) { $0.story.diagnosis }
        $0.flag("forgotten") { $0.story.isForgotten }
        $0.list("steps", TraceEventView.fields) { $0.story.steps }
    }

    let frame: ConsoleFrame
    let story: TraceNarrative
    let person: String?

    /// The reference shown on an error page, else the trace's id, so that every sign-in has a reference.
    private var reference: String { story.trace.reference ?? story.trace.id.rawValue }
}
