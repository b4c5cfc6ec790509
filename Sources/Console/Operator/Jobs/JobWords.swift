import Bytes
import Jobs
import Web

/// What jobs and schedules are called beside the names they have in the log.
enum JobWords {
    static func name(ofKind kind: String) -> Phrase { Phrase(in: "console.operator.kinds", kind) }

    static func name(ofSchedule name: String) -> Phrase { Phrase(in: "console.operator.schedules", name) }
}

extension JobSummary.State {
    var words: Phrase {
        switch self {
        case .waiting: Phrase("console.operator.jobs.state.waiting")
        case .running: Phrase("console.operator.jobs.state.running")
        case .succeeded: Phrase("console.operator.jobs.state.succeeded")
        case .dead: Phrase("console.operator.jobs.state.dead")
        case .cancelled: Phrase("console.operator.jobs.state.cancelled")
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
