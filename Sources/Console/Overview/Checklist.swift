import AuthEngine
import Bytes
import Domain
import HTTP
import Templates

/// The way from nothing to a working sign-in, as far as the team has come.
struct Checklist: Sendable {
    struct Step: Sendable {
        let title: Phrase
        let detail: Phrase
        let isDone: Bool
        let url: String
        /// What the button says while it is the next step.
        let action: Phrase
        /// What the link says afterwards.
        let afterwards: Phrase
        var isNext = false

        static let fields = Fields<Step>()
            .words("title") { $0.title }
            .words("detail") { $0.detail }
            .flag("done") { $0.isDone }
            .flag("next") { $0.isNext }
            .text("url") { $0.url }
            .words("action") { $0.isDone ? $0.afterwards : $0.action }
    }

    let steps: [Step]

    init(_ progress: TeamProgress, in team: TeamID) {
        var steps = Self.registry(progress, team) + Self.use(progress, team)
        if let next = steps.firstIndex(where: { !$0.isDone }) { steps[next].isNext = true }
        self.steps = steps
    }

    var isComplete: Bool { steps.allSatisfy(\.isDone) }

    static let fields = Fields<Checklist>()
        .words("summary") { list in
            let done = list.steps.count { $0.isDone }
            return Phrase("console.overview.setup.progress", ["done": done, "all": list.steps.count])
        }
        .list("steps", Step.fields) { $0.steps }

    private static func registry(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Phrase("console.overview.app-id"),
                detail: Phrase("console.overview.app-id.detail"),
                isDone: progress.appIDs > 0,
                url: progress.appIDs > 0
                    ? ConsoleRoutes.appIDs.link(team) : ConsoleRoutes.newAppID.link(team),
                action: Phrase("console.overview.app-id.action"),
                afterwards: Phrase("console.overview.app-ids")
            ),
            Step(
                title: Phrase("console.overview.service-id"),
                detail: Phrase("console.overview.service-id.detail"),
                isDone: progress.serviceIDs > 0,
                url: progress.serviceIDs > 0
                    ? ConsoleRoutes.serviceIDs.link(team) : ConsoleRoutes.newServiceID.link(team),
                action: Phrase("console.overview.service-id.action"),
                afterwards: Phrase("console.overview.service-ids")
            ),
            Step(
                title: Phrase("console.overview.return-url"),
                detail: Phrase("console.overview.return-url.detail"),
                isDone: progress.hasReturnURL,
                url: ConsoleRoutes.serviceIDs.link(team),
                action: Phrase("console.overview.service-ids"),
                afterwards: Phrase("console.overview.service-ids")
            ),
        ]
    }

    private static func use(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Phrase("console.overview.key"),
                detail: Phrase("console.overview.key.detail"),
                isDone: progress.activeKeys > 0,
                url: progress.activeKeys > 0
                    ? ConsoleRoutes.keys.link(team) : ConsoleRoutes.newKey.link(team),
                action: Phrase("console.overview.key.action"),
                afterwards: Phrase("console.overview.keys")
            ),
            Step(
                title: Phrase("console.overview.sign-in"),
                detail: Phrase("console.overview.sign-in.detail"),
                isDone: progress.hasSignIn,
                url: ConsoleRoutes.serviceIDs.link(team),
                action: Phrase("console.overview.service-ids"),
                afterwards: Phrase("console.overview.service-ids")
            ),
        ]
    }
}
