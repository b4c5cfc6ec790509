import AuthEngine
import Domain
import HTTP
import Templates

/// The way from nothing to a working sign-in, as far as the team has come.
struct Checklist: Sendable {
    struct Step: Sendable {
        let title: String
        let detail: String
        let isDone: Bool
        let url: String
        /// What the button says while it is the next step.
        let action: String
        /// What the link says afterwards.
        let afterwards: String
        var isNext = false

        static let fields = Fields<Step>()
            .text("title") { $0.title }
            .text("detail") { $0.detail }
            .flag("done") { $0.isDone }
            .flag("next") { $0.isNext }
            .text("url") { $0.url }
            .text("action") { $0.isDone ? $0.afterwards : $0.action }
    }

    let steps: [Step]

    init(_ progress: TeamProgress, in team: TeamID) {
        var steps = Self.registry(progress, team) + Self.use(progress, team)
        if let next = steps.firstIndex(where: { !$0.isDone }) { steps[next].isNext = true }
        self.steps = steps
    }

    var isComplete: Bool { steps.allSatisfy(\.isDone) }

    static let fields = Fields<Checklist>()
        .text("summary") { list in "\(list.steps.count { $0.isDone }) of \(list.steps.count) done" }
        .list("steps", Step.fields) { $0.steps }

    private static func registry(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: "Register an App ID",
                detail: "The bundle ID your app already has, such as com.acme.app.",
                isDone: progress.appIDs > 0,
                url: progress.appIDs > 0
                    ? ConsoleRoutes.appIDs.link(team) : ConsoleRoutes.newAppID.link(team),
                action: "New App ID",
                afterwards: "App IDs"
            ),
            Step(
                title: "Add a Service ID for the web",
                detail: "It names your web site or Android app, and its description is what people read.",
                isDone: progress.serviceIDs > 0,
                url: progress.serviceIDs > 0
                    ? ConsoleRoutes.serviceIDs.link(team) : ConsoleRoutes.newServiceID.link(team),
                action: "New Service ID",
                afterwards: "Service IDs"
            ),
            Step(
                title: "Enter a return URL",
                detail: "Where people come back to after signing in; open the Service ID to add it.",
                isDone: progress.hasReturnURL,
                url: ConsoleRoutes.serviceIDs.link(team),
                action: "Service IDs",
                afterwards: "Service IDs"
            ),
        ]
    }

    private static func use(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: "Create a key",
                detail: "Your server signs its client secrets with it. The file downloads once.",
                isDone: progress.activeKeys > 0,
                url: progress.activeKeys > 0
                    ? ConsoleRoutes.keys.link(team) : ConsoleRoutes.newKey.link(team),
                action: "New key",
                afterwards: "Keys"
            ),
            Step(
                title: "See a sign-in work",
                detail: "Open a Service ID and press “Try it”, or point your app at the addresses below.",
                isDone: progress.hasSignIn,
                url: ConsoleRoutes.serviceIDs.link(team),
                action: "Service IDs",
                afterwards: "Service IDs"
            ),
        ]
    }
}
