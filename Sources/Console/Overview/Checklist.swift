import Accounts
import Core
import HTTP
import OAuth
import Platform
import Templates

/// Setup steps to a working sign-in, with the progress of a team.
struct Checklist: Sendable {
    struct Step: Sendable {
        let title: Message
        let detail: Message
        let isDone: Bool
        let url: String
        /// Label of the link while the step is not done.
        let action: Message
        /// Label of the link when the step is done.
        let afterwards: Message
        var isNext = false

        static let fields = Fields<Step> {
            $0.words("title") { $0.title }
            $0.words("detail") { $0.detail }
            $0.flag("done") { $0.isDone }
            $0.flag("next") { $0.isNext }
            $0.text("url") { $0.url }
            $0.words("action") { $0.isDone ? $0.afterwards : $0.action }
        }
    }

    let steps: [Step]

    init(_ progress: TeamProgress, in team: TeamID) {
        var steps = Self.registry(progress, team) + Self.use(progress, team)
        if let next = steps.firstIndex(where: { !$0.isDone }) { steps[next].isNext = true }
        self.steps = steps
    }

    var isComplete: Bool { steps.allSatisfy(\.isDone) }

    static let fields = Fields<Checklist> {
        $0.words("summary") { list in
            let done = list.steps.count { $0.isDone }
            return Message("console.overview.setup.progress", ["done": done, "all": list.steps.count])
        }
        $0.list("steps", Step.fields) { $0.steps }
    }

    private static func registry(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Message("console.overview.app-id"), detail: Message("console.overview.app-id.detail"),
                isDone: progress.appIDs > 0,
                url: progress.appIDs > 0 ? ConsoleRoutes.appIDs.link(team) : ConsoleRoutes.newAppID.link(team),
                action: Message("console.overview.app-id.action"), afterwards: Message("console.overview.app-ids")),
            Step(
                title: Message("console.overview.service-id"), detail: Message("console.overview.service-id.detail"),
                isDone: progress.serviceIDs > 0,
                url: progress.serviceIDs > 0
                    ? ConsoleRoutes.serviceIDs.link(team) : ConsoleRoutes.newServiceID.link(team),
                action: Message("console.overview.service-id.action"),
                afterwards: Message("console.overview.service-ids")),
            Step(
                title: Message("console.overview.return-url"), detail: Message("console.overview.return-url.detail"),
                isDone: progress.hasReturnURL, url: ConsoleRoutes.serviceIDs.link(team),
                action: Message("console.overview.service-ids"), afterwards: Message("console.overview.service-ids")),
        ]
    }

    private static func use(_ progress: TeamProgress, _ team: TeamID) -> [Step] {
        [
            Step(
                title: Message("console.overview.key"), detail: Message("console.overview.key.detail"),
                isDone: progress.hasActiveKey,
                url: progress.hasActiveKey ? ConsoleRoutes.keys.link(team) : ConsoleRoutes.newKey.link(team),
                action: Message("console.overview.key.action"), afterwards: Message("console.overview.keys")),
            Step(
                title: Message("console.overview.sign-in"), detail: Message("console.overview.sign-in.detail"),
                isDone: progress.hasSignIn, url: ConsoleRoutes.serviceIDs.link(team),
                action: Message("console.overview.service-ids"), afterwards: Message("console.overview.service-ids")),
        ]
    }
}
