import AuthEngine
import Bytes
import Web

/// How a trial is told: as far as it has come.
struct TrialStory: Sendable {
    let badge: BadgeView
    let summary: String
    let steps: [TrialStep]

    /// What it came to.
    init(_ record: TrialRecord) {
        steps = record.steps
        switch record.outcome {
        case .completed:
            badge = BadgeView(.good, "Worked")
            summary = "Everything an app and its server do, they can do with this Service ID."
        case .cancelled:
            badge = BadgeView(.warn, "Cancelled")
            summary = "The person did not want to sign in, and the app was told so."
        case .failed:
            badge = BadgeView(.bad, "Failed")
            summary = "The last step says what went wrong."
        }
    }

    /// A trial that nothing has come back from.
    init(waiting request: TrialRequest, until end: Timestamp, at moment: Timestamp) {
        if moment < end {
            badge = BadgeView(.plain, "Running")
            summary = "Finish the sign-in in the window where it began; this page then shows the rest."
            let step = TrialStep(
                .plain,
                "The person signs in",
                "Nothing has come back yet. The trial ends at \(end.readable) UTC."
            )
            steps = [request.step, step]
        } else {
            badge = BadgeView(.bad, "Failed")
            summary = "It took longer than ten minutes."
            let step = TrialStep(
                .bad,
                "Nothing came back",
                "The trial's key and return URL are void since \(end.readable) UTC."
            )
            steps = [request.step, step]
        }
    }
}
