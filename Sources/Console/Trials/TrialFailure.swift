/// Why a trial went no further: the step that tells it.
struct TrialFailure: Error {
    let outcome: TrialRecord.Outcome
    let step: TrialStep

    init(_ step: TrialStep, outcome: TrialRecord.Outcome = .failed) {
        self.step = step
        self.outcome = outcome
    }
}
