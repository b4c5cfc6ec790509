import AuthEngine
import Bytes
import Web

/// How a trial is told: as far as it has come.
struct TrialStory: Sendable {
    let badge: BadgeView
    let summary: Phrase
    let steps: [TrialStep]

    /// What it came to.
    init(_ record: TrialRecord) {
        steps = record.steps
        switch record.outcome {
        case .completed:
            badge = BadgeView(.good, Phrase("console.trials.worked"))
            summary = Phrase("console.trials.worked.about")
        case .cancelled:
            badge = BadgeView(.warn, Phrase("console.trials.cancelled"))
            summary = Phrase("console.trials.cancelled.about")
        case .failed:
            badge = BadgeView(.bad, Phrase("console.trials.failed"))
            summary = Phrase("console.trials.failed.about")
        }
    }

    /// A trial that nothing has come back from.
    init(waiting request: TrialRequest, until end: Timestamp, at moment: Timestamp) {
        if moment < end {
            badge = BadgeView(.plain, Phrase("console.trials.running"))
            summary = Phrase("console.trials.running.about")
            let step = TrialStep(
                .plain,
                Phrase("console.trials.waiting"),
                Phrase("console.trials.waiting.about", ["end": end])
            )
            steps = [request.step, step]
        } else {
            badge = BadgeView(.bad, Phrase("console.trials.failed"))
            summary = Phrase("console.trials.too-late")
            let step = TrialStep(
                .bad,
                Phrase("console.trials.void"),
                Phrase("console.trials.void.about", ["end": end])
            )
            steps = [request.step, step]
        }
    }
}
