import Bytes
import Jobs
import Localization
import Web

/// Display names of jobs, which have other names in the log.
enum JobMessages { static func name(ofKind kind: String) -> Message { Message(in: "console.operator.kinds", kind) } }

extension JobSummary.State {
    var words: Message {
        switch self {
        case .waiting: Message("console.operator.jobs.state.waiting")
        case .running: Message("console.operator.jobs.state.running")
        case .succeeded: Message("console.operator.jobs.state.succeeded")
        case .dead: Message("console.operator.jobs.state.dead")
        case .cancelled: Message("console.operator.jobs.state.cancelled")
        }
    }

    var badge: BadgeView {
        switch self {
        case .waiting, .cancelled: BadgeView(.plain, words)
        case .running: BadgeView(.warn, words)
        case .succeeded: BadgeView(.good, words)
        case .dead: BadgeView(.bad, words)
        }
    }
}
